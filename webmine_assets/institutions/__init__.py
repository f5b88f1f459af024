"""Institutions: what their files may say, and how they are found, loaded and changed."""

from webmine_assets.institutions.edits import remove_rule, save_rule
from webmine_assets.institutions.files import (
    SUFFIXES,
    LoadedInstitutions,
    find_institution,
    institution_files,
    line_in,
    load_institution,
    load_institutions,
    parse_institution,
)
from webmine_assets.institutions.model import (
    ID,
    Budgets,
    ExtractionRule,
    Institution,
    Policy,
    Politeness,
    Rendering,
)

__all__ = [
    "ID",
    "SUFFIXES",
    "Budgets",
    "ExtractionRule",
    "Institution",
    "LoadedInstitutions",
    "Policy",
    "Politeness",
    "Rendering",
    "find_institution",
    "institution_files",
    "line_in",
    "load_institution",
    "load_institutions",
    "parse_institution",
    "remove_rule",
    "save_rule",
]
