"""Dagster: assets, partitions, resources, checks, sensors, schedules and jobs. Wiring only."""

import warnings

from dagster import BetaWarning

# Backfill policies are beta in Dagster 1.13, and the whole chain mixes two of them on purpose: who
# runs it cannot act on either warning. Settled here, before any decorator runs.
warnings.filterwarnings("ignore", category=BetaWarning)
warnings.filterwarnings("ignore", message=".*varying BackfillPolicies", category=UserWarning)
