"""Owns the settings of the process, read once from the environment; must not keep or print a secret anywhere else.

`SETTINGS` is the one list of names: the README table and `deploy/env.example` are held to it by a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from app.core.errors import ConfigError

# Shorter secrets can be guessed offline from one captured delivery; GitHub asks for "a random string with high entropy".
SECRET_MINIMUM = 16  # characters

MODEL_LENGTH = 200  # characters; hubs allow 96 for an owner and a name each

T = TypeVar("T")

LOG_LEVELS = ("debug", "info", "warning", "error")
_HANDLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?")
_PEM = re.compile(r"-----BEGIN ((?:RSA )?PRIVATE KEY)-----\n[A-Za-z0-9+/=\n]+\n-----END \1-----")


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable. `default` is what is used when it is not set; `needed` says who cannot do without it."""

    name: str
    meaning: str
    default: str = ""
    needed: str = ""
    secret: bool = False


APP = "serve, web, worker"

SETTINGS: tuple[Setting, ...] = (
    Setting("GITHUB_APP_ID", "The App's numeric id, from its settings page", needed=APP),
    Setting(
        "GITHUB_PRIVATE_KEY",
        "The App's private key, as PEM text (`\\n` for line ends is understood)",
        needed=APP,
        secret=True,
    ),
    Setting("GITHUB_PRIVATE_KEY_PATH", "A file that holds the private key, instead of `GITHUB_PRIVATE_KEY`"),
    Setting(
        "GITHUB_WEBHOOK_SECRET", f"The webhook's secret, {SECRET_MINIMUM} characters or more", needed=APP, secret=True
    ),
    Setting(
        "GITHUB_API_URL",
        "The REST API's root; `https://HOST/api/v3` on GitHub Enterprise Server",
        "https://api.github.com",
    ),
    Setting(
        "REDIS_URL",
        "The queue, `redis://[:password@]host:port/0`; unset: held in the one process of `serve`",
        needed="web, worker",
        secret=True,
    ),
    Setting("QDRANT_URL", "A Qdrant server, 1.19 or newer; unset: the embedded index below the data directory"),
    Setting("QDRANT_API_KEY", "The Qdrant server's key", secret=True),
    Setting(
        "EMBEDDINGS_URL",
        "An OpenAI-compatible embeddings service, the address before `/embeddings`; unset: the built-in vectors, no service",
    ),
    Setting(
        "EMBEDDINGS_MODEL",
        "The service's model, or `onnx:NAME` for a local one (extra `onnx`); another one indexes anew",
    ),
    Setting("EMBEDDINGS_API_KEY", "The embeddings service's key", secret=True),
    Setting(
        "CODERAG_TABLE",
        "A dense table made by `coderag train`; unset: the one in app/models. Another table means a new index",
    ),
    Setting("CODERAG_DATA_DIR", "Where git mirrors and the embedded index are kept", ".coderag"),
    Setting("CODERAG_HANDLE", "One more name the bot answers to, without `@`, beside the App's own"),
    Setting("CODERAG_LOG_LEVEL", "How much is logged: " + ", ".join(LOG_LEVELS), "info"),
)

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in the form they are used in. An `app_id` of 0 and empty strings mean "not set"; secrets are not in the repr."""

    app_id: int = 0
    private_key: str = field(default="", repr=False)
    webhook_secret: str = field(default="", repr=False)
    api_url: str = _DEFAULTS["GITHUB_API_URL"]
    redis_url: str = field(default="", repr=False)
    qdrant_url: str = ""
    qdrant_api_key: str = field(default="", repr=False)
    embeddings_url: str = ""
    embeddings_model: str = ""
    embeddings_api_key: str = field(default="", repr=False)
    data_dir: Path = Path(_DEFAULTS["CODERAG_DATA_DIR"])
    handle: str = ""
    log_level: str = _DEFAULTS["CODERAG_LOG_LEVEL"]

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read every setting; ConfigError names each variable that cannot be used, and the form it must have."""
        problems: list[str] = []

        def read(name: str, form: Callable[[str], T]) -> T:
            raw = environment.get(name, "").strip() or _DEFAULTS[name]
            try:
                return form(raw)
            except ValueError as problem:
                problems.append(f"{name}: {problem}")
                return form(_DEFAULTS[name])

        settings = cls(
            app_id=read("GITHUB_APP_ID", _app_id),
            private_key=read("GITHUB_PRIVATE_KEY", _pem) or read("GITHUB_PRIVATE_KEY_PATH", _pem_file),
            webhook_secret=read("GITHUB_WEBHOOK_SECRET", _secret),
            api_url=read("GITHUB_API_URL", _web_url),
            redis_url=read("REDIS_URL", _redis_url),
            qdrant_url=read("QDRANT_URL", _web_url),
            qdrant_api_key=read("QDRANT_API_KEY", str),
            embeddings_url=read("EMBEDDINGS_URL", _web_url),
            embeddings_model=read("EMBEDDINGS_MODEL", _model),
            embeddings_api_key=read("EMBEDDINGS_API_KEY", _key),
            data_dir=read("CODERAG_DATA_DIR", lambda raw: Path(raw).expanduser()),
            handle=read("CODERAG_HANDLE", _handle),
            log_level=read("CODERAG_LOG_LEVEL", _log_level),
        )
        _refuse(problems + _embeddings_problems(settings))
        return settings

    def require_app(self) -> Settings:
        """These settings, if they are enough to receive webhooks and act as the App; else ConfigError names all that is missing."""
        missing = []
        if not self.app_id:
            missing.append("GITHUB_APP_ID is not set: the App's numeric id, from its settings page")
        if not self.private_key:
            missing.append(
                "GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_PATH is not set: the App's private key (PEM), or a file that holds it"
            )
        if not self.webhook_secret:
            missing.append(
                "GITHUB_WEBHOOK_SECRET is not set: without it anyone could send events; use the secret of the App's webhook"
            )
        elif len(self.webhook_secret) < SECRET_MINIMUM:
            missing.append(f"GITHUB_WEBHOOK_SECRET: {_TOO_SHORT}")
        _refuse(missing)
        return self

    def require_redis(self) -> Settings:
        """These settings, if web and worker can run in processes of their own; else ConfigError."""
        if not self.redis_url:
            _refuse(
                ["REDIS_URL is not set: `coderag web` and `coderag worker` meet there (`coderag serve` needs none)"]
            )
        return self


_TOO_SHORT = f"must be {SECRET_MINIMUM} characters or more; make one with `openssl rand -hex 32`"


def _refuse(problems: list[str]) -> None:
    if problems:
        raise ConfigError("\n".join(problems))


def _embeddings_problems(settings: Settings) -> list[str]:
    """A service without a model, and the reverse, would be found out only once something is indexed."""
    local = settings.embeddings_model.startswith("onnx:")
    if settings.embeddings_url and local:
        return ["EMBEDDINGS_MODEL: `onnx:NAME` runs here and takes no EMBEDDINGS_URL; unset one of them"]
    if settings.embeddings_url and not settings.embeddings_model:
        return ["EMBEDDINGS_MODEL is not set: the name of the model that the service at EMBEDDINGS_URL is to use"]
    if settings.embeddings_model and not settings.embeddings_url and not local:
        return ["EMBEDDINGS_URL is not set: the service that has EMBEDDINGS_MODEL (or `onnx:NAME` for a local model)"]
    return []


# Each form takes the raw text, and raises ValueError with the form that is wanted. A message never holds a secret's value.


def _app_id(raw: str) -> int:
    if raw and not re.fullmatch(r"[1-9][0-9]{0,18}", raw):
        raise ValueError(f"must be the App's numeric id, not {raw[:40]!r}")
    return int(raw or "0")


def _secret(raw: str) -> str:
    if raw and len(raw) < SECRET_MINIMUM:
        raise ValueError(_TOO_SHORT)
    return raw


def _pem(raw: str) -> str:
    # Env files and dashboards keep a key on one line, with `\n` written out and often in quotes.
    text = raw.strip().strip("\"'").replace("\\r", "").replace("\\n", "\n").replace("\r", "").strip()
    text = "\n".join(line.strip() for line in text.split("\n"))
    if text and not _PEM.fullmatch(text):
        raise ValueError(
            "must be a PEM private key, from `-----BEGIN RSA PRIVATE KEY-----` to `-----END RSA PRIVATE KEY-----`"
        )
    return text + "\n" if text else ""


def _pem_file(raw: str) -> str:
    if not raw:
        return ""
    try:
        text = Path(raw).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "not text"
        raise ValueError(f"cannot read {raw!r} ({why})") from None
    if not text.strip():
        raise ValueError(f"{raw!r} is empty; it must hold the App's private key in PEM form")
    return _pem(text)


def _web_url(raw: str) -> str:
    if not raw:
        return ""
    parts = _split(raw)
    if parts is None or parts[0] not in ("http", "https") or not parts[1] or parts[2]:
        raise ValueError("must be a URL like `https://host/path`, without user, password, query or fragment")
    return raw.rstrip("/")


def _redis_url(raw: str) -> str:
    if not raw:
        return ""
    parts = _split(raw)
    usable = parts is not None and (parts[0] == "unix" or (parts[0] in ("redis", "rediss") and bool(parts[1])))
    if not usable:
        raise ValueError("must be a URL like `redis://:password@host:6379/0`, `rediss://…` or `unix:///path`")
    return raw


def _model(raw: str) -> str:
    if raw and (not raw.isprintable() or len(raw) > MODEL_LENGTH or raw == "onnx:"):
        raise ValueError(f"must be a model's name of at most {MODEL_LENGTH} printable characters")
    return raw


def _key(raw: str) -> str:
    if not re.fullmatch(r"[!-~]*", raw):
        raise ValueError("must be printable ASCII without spaces: it is sent in a header")
    return raw


def _split(raw: str) -> tuple[str, str, bool] | None:
    """Scheme, host, and whether there is more than a plain address; None where it is no URL at all."""
    try:
        parts = urlsplit(raw)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return None
    return parts.scheme, host, bool(parts.query or parts.fragment or "@" in parts.netloc)


def _handle(raw: str) -> str:
    name = raw.removeprefix("@").removesuffix("[bot]")
    if name and not _HANDLE.fullmatch(name):
        raise ValueError(f"must be a name of letters, digits and inner dashes, not {raw[:40]!r}")
    return name


def _log_level(raw: str) -> str:
    if raw.lower() not in LOG_LEVELS:
        raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}, not {raw[:40]!r}")
    return raw.lower()
