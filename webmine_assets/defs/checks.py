"""The quality checks as asset checks: per partition, one step for the tables of one stage."""

import warnings
from collections.abc import Iterator, Mapping

from dagster import (
    AssetCheckEvaluation,
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    AssetRecordsFilter,
    DagsterInstance,
    Output,
    multi_asset_check,
)

from webmine_assets.defs.metadata import EMPTY_TEXT
from webmine_assets.defs.partitions import institutions_partitions
from webmine_assets.defs.resources import Corpus
from webmine_assets.stages.quality import CHECKS, Check, Verdict, judge

_HISTORY = 10


def _spec(check: Check) -> AssetCheckSpec:
    with warnings.catch_warnings():
        # Partitions of checks are a preview in Dagster 1.13; without them the check of one
        # institution would overwrite that of another.
        warnings.simplefilter("ignore")
        return AssetCheckSpec(
            check.name,
            asset=check.table,
            description=check.description,
            blocking=check.blocking,
            partitions_def=institutions_partitions,
        )


def severity_of(verdict: Verdict) -> AssetCheckSeverity:
    """A blocking check stops what follows only if it failed as an error."""
    return AssetCheckSeverity.ERROR if verdict.severe else AssetCheckSeverity.WARN


def _result(check: Check, verdict: Verdict) -> AssetCheckResult:
    return AssetCheckResult(
        asset_key=check.table,
        check_name=check.name,
        passed=verdict.passed,
        severity=severity_of(verdict),
        description=verdict.summary,
        metadata=dict(verdict.numbers),
    )


def evaluation_of(check: Check, verdict: Verdict, key: str) -> AssetCheckEvaluation:
    """The result for one partition, whatever partitions the run has, or without a run."""
    return AssetCheckEvaluation(
        asset_key=AssetKey(check.table),
        check_name=check.name,
        passed=verdict.passed,
        severity=severity_of(verdict),
        description=verdict.summary,
        metadata=dict(verdict.numbers),
        blocking=check.blocking,
        partition=key,
    )


def _evaluations(
    check: Check, verdicts: Mapping[str, Verdict]
) -> Iterator[Output[None] | AssetCheckEvaluation]:
    """The results of a run over a range of partitions, as backfills are: each on its own.

    AssetCheckResult has no partition: in such a run it would be one result for all of them.
    """
    yield Output(None, output_name=_spec(check).get_python_identifier())
    for key, verdict in verdicts.items():
        yield evaluation_of(check, verdict, key)


def _checks_of(stage: str, offered: list[Check]) -> AssetChecksDefinition:
    @multi_asset_check(
        name=f"check_{stage}", specs=[_spec(check) for check in offered], can_subset=True
    )
    def run(
        context: AssetCheckExecutionContext, corpus: Corpus
    ) -> Iterator[AssetCheckResult | AssetCheckEvaluation | Output[None]]:
        keys = context.op_execution_context.partition_keys
        selected = {key.name for key in context.selected_asset_check_keys}
        checks = [check for check in offered if check.name in selected]
        found = {
            key: judge(
                checks,
                corpus.institution(key),
                lake=corpus.lake,
                settings=corpus.settings,
                earlier=earlier_values(context.instance, key) if stage == "enhancement" else None,
            )
            for key in keys
        }
        for check in checks:
            verdicts = {key: found[key][check.name] for key in keys}
            if context.op_execution_context.has_partition_key:
                yield _result(check, *verdicts.values())
            else:
                yield from _evaluations(check, verdicts)

    return run


def earlier_values(instance: DagsterInstance, institution: str) -> dict[str, list[float]]:
    """What earlier enhancements told of themselves; the lake keeps only the last one."""
    records = instance.fetch_materializations(
        AssetRecordsFilter(AssetKey("page_content"), asset_partitions=[institution]),
        limit=_HISTORY + 1,
    ).records
    metadata = [r.asset_materialization.metadata for r in records if r.asset_materialization]
    shares = [found[EMPTY_TEXT].value for found in metadata[1:] if EMPTY_TEXT in found]
    return {EMPTY_TEXT: [share for share in shares if isinstance(share, float)]}


# A step of its own costs each run 25 ms: the checks of tables that come together are one step.
_STAGES = {
    "crawl": ("page_snapshots", "url_ledger"),
    "enhancement": ("page_content", "page_metadata"),
    "archives": ("page_archives",),
}
ASSET_CHECKS = [
    _checks_of(stage, [check for check in CHECKS if check.table in tables])
    for stage, tables in _STAGES.items()
]
