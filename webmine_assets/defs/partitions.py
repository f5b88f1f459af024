"""The partitions: one per institution file."""

from dagster import DagsterInstance, DynamicPartitionsDefinition

INSTITUTIONS = "institutions"

institutions_partitions = DynamicPartitionsDefinition(name=INSTITUTIONS)


def register_institutions(instance: DagsterInstance, institutions: list[str]) -> list[str]:
    """Add the partitions that are missing; the ones that were added."""
    known = set(instance.get_dynamic_partitions(INSTITUTIONS))
    missing = [name for name in institutions if name not in known]
    if missing:
        instance.add_dynamic_partitions(INSTITUTIONS, missing)
    return missing
