"""Whether a partition is fit to use: checks against its own history."""

from webmine_assets.stages.quality.catalogue import CHECKS, Check, judge
from webmine_assets.stages.quality.verdicts import Verdict

__all__ = ["CHECKS", "Check", "Verdict", "judge"]
