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
    Output,
    multi_asset_check,
)

from webmine_assets.defs.partitions import institutions_partitions
from webmine_assets.defs.resources import Corpus
from webmine_assets.stages.quality import CHECKS, Check, Verdict, judge


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


def _severity(check: Check) -> AssetCheckSeverity:
    return AssetCheckSeverity.ERROR if check.blocking else AssetCheckSeverity.WARN


def _result(check: Check, verdict: Verdict) -> AssetCheckResult:
    return AssetCheckResult(
        asset_key=check.table,
        check_name=check.name,
        passed=verdict.passed,
        severity=_severity(check),
        description=verdict.summary,
        metadata=dict(verdict.numbers),
    )


def _evaluations(
    check: Check, verdicts: Mapping[str, Verdict]
) -> Iterator[Output[None] | AssetCheckEvaluation]:
    """The results of a run over a range of partitions, as backfills are: each on its own.

    AssetCheckResult has no partition: in such a run it would be one result for all of them.
    """
    yield Output(None, output_name=_spec(check).get_python_identifier())
    for key, verdict in verdicts.items():
        yield AssetCheckEvaluation(
            asset_key=AssetKey(check.table),
            check_name=check.name,
            passed=verdict.passed,
            severity=_severity(check),
            description=verdict.summary,
            metadata=dict(verdict.numbers),
            blocking=check.blocking,
            partition=key,
        )


def _checks_of(stage: str, checks: list[Check]) -> AssetChecksDefinition:
    @multi_asset_check(name=f"check_{stage}", specs=[_spec(check) for check in checks])
    def run(
        context: AssetCheckExecutionContext, corpus: Corpus
    ) -> Iterator[AssetCheckResult | AssetCheckEvaluation | Output[None]]:
        keys = context.op_execution_context.partition_keys
        found = {
            key: judge(checks, corpus.institution(key), lake=corpus.lake, settings=corpus.settings)
            for key in keys
        }
        for check in checks:
            verdicts = {key: found[key][check.name] for key in keys}
            if context.op_execution_context.has_partition_key:
                yield _result(check, *verdicts.values())
            else:
                yield from _evaluations(check, verdicts)

    return run


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
