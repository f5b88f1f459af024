"""The first institution file that `webmine init` writes."""

from urllib.parse import urlsplit

from webmine_assets.crawl.network.guard import Guard
from webmine_assets.errors import ConfigurationError, InstitutionFileError
from webmine_assets.urls import resolve, url_problem

# What YAML takes for something else than text.
_NO_TEXT = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def check_start(institution: str, url: str) -> None:
    """Refuse no id, and what is no absolute URL with the URL that was likely meant."""
    if not institution:
        raise ConfigurationError("ID: it is empty; expected a short name, such as my-university")
    if url.startswith(("http://", "https://")) and resolve(url, url):
        return
    if url.startswith(("http://", "https://")) and (problem := url_problem(url)):
        raise ConfigurationError(f"URL: {problem}")
    meant = f"https://{url}"
    hint = "" if "://" in url or not resolve(meant, meant) else f"; did you mean {meant}?"
    raise ConfigurationError(f"URL: found {url!r}; expected an http:// or https:// URL{hint}")


def argument_error(problem: InstitutionFileError) -> ConfigurationError:
    """The mistakes in words of the command's arguments: there is no file yet to look into."""
    names = {"institution_id": "ID", "seed_urls.0": "URL", "allowed_domains.0": "URL"}
    return ConfigurationError(
        "\n".join(
            f"{names.get(mistake.key, mistake.key)}: {mistake.what}; {mistake.expected}"
            for mistake in problem.mistakes
        )
    )


def starter_file(institution: str, url: str) -> str:
    """A first institution file, its settings explained."""
    name = _text(institution)
    parts = urlsplit(url)
    host = parts.netloc.rsplit("@", 1)[-1]
    return f"""\
# {institution}: what to crawl, how far, and how gently. Every key is explained in the README.
institution_id: {name}
name: {name}
seed_urls:
  - {url}
allowed_domains:        # exact hosts; subdomains only where you write them, as "*.example.edu"
  - {_quoted(host)}
disallowed_paths: []    # for example: [/login, /search]
include_patterns: []    # URLs that match go first, for example: [/research/]
max_pages: 200
max_depth: 3
ttl_days: 7             # younger pages come from the last crawl without a request
politeness:
  delay_ms: 500
  concurrency: 2
{_networks(parts.hostname or "")}"""


def _text(value: str) -> str:
    """An id as YAML text: digits would be a number, `null` nothing."""
    is_plain = value[0].isalpha() and value not in _NO_TEXT
    return value if is_plain else f'"{value}"'


def _quoted(host: str) -> str:
    """An IPv6 address in brackets would be a list in YAML."""
    return f'"{host}"' if host.startswith("[") else host


def _networks(host: str) -> str:
    """Who names an address that is not public means it; a name's addresses are not looked up."""
    if host == "localhost":
        networks = '127.0.0.1, "::1"'
    elif Guard().refused_kind(host) in (None, "malformed"):
        return ""
    else:
        networks = f'"{host}"'
    return f"allow_networks: [{networks}]   # not public: crawled only because this says so\n"
