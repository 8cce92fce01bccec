"""The settings: what is read, what is refused and how it is told, and that no secret is ever shown."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from app.config import SETTINGS, Settings
from app.core.errors import ConfigError

BODY = "MIIEowIBAAKCAQEA0000\nAAAA/+=="
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----\n"
ENOUGH = {"GITHUB_APP_ID": "42", "GITHUB_PRIVATE_KEY": KEY, "GITHUB_WEBHOOK_SECRET": "0123456789abcdef"}


def refused(environment: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as told:
        Settings.from_environment(environment).require_app()
    return str(told.value)


def test_an_empty_environment_gives_the_defaults_of_the_table() -> None:
    settings = Settings.from_environment({})
    assert settings == Settings()
    assert settings.api_url == "https://api.github.com"
    assert settings.data_dir == Path(".coderag")


def test_every_setting_is_read_under_its_name(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        ENOUGH
        | {
            "GITHUB_API_URL": "https://ghe.example/api/v3/",
            "REDIS_URL": "redis://:pa55word@redis:6379/0",
            "QDRANT_URL": "http://qdrant:6333",
            "QDRANT_API_KEY": "qdrant-key",
            "EMBEDDINGS_URL": "http://127.0.0.1:8080/v1/",
            "EMBEDDINGS_MODEL": "code-embed",
            "EMBEDDINGS_API_KEY": "embed-key",
            "CODERAG_DATA_DIR": str(tmp_path),
            "CODERAG_HANDLE": "@acme-code",
            "CODERAG_LOG_LEVEL": "DEBUG",
            "PATH": "/bin",
        }
    )
    assert settings.require_app().require_redis() is settings
    assert settings == Settings(
        app_id=42,
        private_key=KEY,
        webhook_secret="0123456789abcdef",
        api_url="https://ghe.example/api/v3",
        redis_url="redis://:pa55word@redis:6379/0",
        qdrant_url="http://qdrant:6333",
        qdrant_api_key="qdrant-key",
        embeddings_url="http://127.0.0.1:8080/v1",
        embeddings_model="code-embed",
        embeddings_api_key="embed-key",
        data_dir=tmp_path,
        handle="acme-code",
        log_level="debug",
    )


def test_what_is_secret_is_never_shown() -> None:
    secrets = {
        "REDIS_URL": "redis://:pa55word@redis:6379/0",
        "QDRANT_API_KEY": "qdrant-key",
        "EMBEDDINGS_API_KEY": "embed-key",
    }
    shown = repr(Settings.from_environment(ENOUGH | secrets))
    for hidden in (BODY[:10], "0123456789abcdef", "pa55word", "qdrant-key", "embed-key"):
        assert hidden not in shown
    marked = {setting.name for setting in SETTINGS if setting.secret}
    assert marked == {
        "GITHUB_PRIVATE_KEY",
        "GITHUB_WEBHOOK_SECRET",
        "REDIS_URL",
        "QDRANT_API_KEY",
        "EMBEDDINGS_API_KEY",
    }
    assert {field.name for field in fields(Settings) if not field.repr} == {
        "private_key",
        "webhook_secret",
        "redis_url",
        "qdrant_api_key",
        "embeddings_api_key",
    }


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.replace("\n", "\\n"),
        KEY.replace("\n", "\r\n"),
        '"' + KEY.replace("\n", "\\n") + '"',
        KEY.replace("\n", "\n  "),
        KEY.replace("\n", "\\r\\n"),
    ],
)
def test_a_key_is_understood_however_it_was_pasted(written: str) -> None:
    assert Settings.from_environment({"GITHUB_PRIVATE_KEY": written}).private_key == KEY


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"EMBEDDINGS_URL": "http://host/v1"}, "EMBEDDINGS_MODEL is not set"),
        ({"EMBEDDINGS_MODEL": "code-embed"}, "EMBEDDINGS_URL is not set"),
        ({"EMBEDDINGS_URL": "http://host/v1", "EMBEDDINGS_MODEL": "onnx:a/b"}, "takes no EMBEDDINGS_URL"),
    ],
)
def test_an_embeddings_service_needs_its_model_and_a_model_its_service(given: dict[str, str], told: str) -> None:
    assert told in refused(ENOUGH | given)
    assert Settings.from_environment({"EMBEDDINGS_MODEL": "onnx:a/b"}).embeddings_model == "onnx:a/b"


def test_a_key_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(KEY)
    environment = ENOUGH | {"GITHUB_PRIVATE_KEY": "", "GITHUB_PRIVATE_KEY_PATH": str(tmp_path / "key.pem")}
    assert Settings.from_environment(environment).require_app().private_key == KEY


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GITHUB_APP_ID", "Iv1.abc", "must be the App's numeric id, not 'Iv1.abc'"),
        ("GITHUB_APP_ID", "-3", "numeric id"),
        ("GITHUB_APP_ID", "٣", "numeric id"),
        ("GITHUB_PRIVATE_KEY", "sesame-open", "must be a PEM private key"),
        ("GITHUB_PRIVATE_KEY", KEY.replace("PRIVATE", "PUBLIC"), "must be a PEM private key"),
        ("GITHUB_WEBHOOK_SECRET", "short", "16 characters or more"),
        ("GITHUB_API_URL", "api.github.com", "must be a URL"),
        ("GITHUB_API_URL", "ftp://api.github.com", "must be a URL"),
        ("GITHUB_API_URL", "https://me:pw@ghe.example/api/v3", "without user, password"),
        ("REDIS_URL", "redis:6379", "must be a URL like `redis://"),
        ("REDIS_URL", "redis://host:notaport/0", "must be a URL like `redis://"),
        ("QDRANT_URL", "qdrant:6333", "must be a URL"),
        ("QDRANT_URL", "http://[::1", "must be a URL"),
        ("EMBEDDINGS_URL", "localhost:8080", "must be a URL"),
        ("EMBEDDINGS_MODEL", "onnx:", "must be a model's name"),
        ("EMBEDDINGS_MODEL", "a\nb", "printable"),
        ("EMBEDDINGS_MODEL", "m" * 201, "at most 200"),
        ("EMBEDDINGS_API_KEY", "käse-key-123", "printable ASCII"),
        ("CODERAG_HANDLE", "my bot", "letters, digits and inner dashes"),
        ("CODERAG_HANDLE", "-bot", "letters, digits and inner dashes"),
        ("CODERAG_LOG_LEVEL", "loud", "must be one of debug, info, warning, error, not 'loud'"),
    ],
)
def test_a_value_that_cannot_be_used_is_told_by_name_and_form(name: str, value: str, told: str) -> None:
    message = refused(ENOUGH | {name: value})
    assert re.match(rf"{name}: ", message)
    assert told in message
    if name in ("GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET", "REDIS_URL", "EMBEDDINGS_API_KEY"):
        assert value not in message


def test_a_key_file_that_cannot_be_used_is_told_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("\n")
    (tmp_path / "binary.pem").write_bytes(b"\xff\xfe")
    for name, told in (
        ("absent.pem", "No such file"),
        ("empty.pem", "is empty"),
        ("binary.pem", "not text"),
        (".", "directory"),
    ):
        message = refused(ENOUGH | {"GITHUB_PRIVATE_KEY": "", "GITHUB_PRIVATE_KEY_PATH": str(tmp_path / name)})
        assert "GITHUB_PRIVATE_KEY_PATH" in message
        assert told in message


def test_all_that_is_wrong_is_told_at_once() -> None:
    message = refused({"GITHUB_APP_ID": "x", "QDRANT_URL": "y", "CODERAG_LOG_LEVEL": "z"})
    assert [line.split(":")[0] for line in message.splitlines()] == ["GITHUB_APP_ID", "QDRANT_URL", "CODERAG_LOG_LEVEL"]


@pytest.mark.parametrize("missing", sorted(ENOUGH))
def test_nothing_starts_without_app_key_or_secret(missing: str) -> None:
    message = refused({name: value for name, value in ENOUGH.items() if name != missing})
    assert message.startswith(missing)
    assert "is not set" in message


@pytest.mark.parametrize("secret", ["", "   ", "\n"])
def test_an_empty_secret_is_no_secret(secret: str) -> None:
    assert "GITHUB_WEBHOOK_SECRET is not set" in refused(ENOUGH | {"GITHUB_WEBHOOK_SECRET": secret})


def test_a_short_secret_is_refused_also_where_settings_are_made_directly() -> None:
    with pytest.raises(ConfigError, match="16 characters"):
        Settings(app_id=1, private_key=KEY, webhook_secret="short").require_app()


def test_web_and_worker_apart_need_redis() -> None:
    with pytest.raises(ConfigError, match="REDIS_URL is not set"):
        Settings.from_environment(ENOUGH).require_redis()
