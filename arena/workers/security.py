"""The certificates with which the hub, the scheduler and the workers know each other."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.errors import ArenaError

if TYPE_CHECKING:
    from distributed.security import Security

AUTHORITY: Final = "ca.pem"
"""The file with the certificate of the authority. The cluster trusts every certificate that it has signed."""

MACHINE: Final = "machine.pem"
"""The file with the key and the certificate of a machine. It is a secret."""

_AUTHORITY_KEY: Final = "ca-key.pem"
"""The file with the key of the authority. It is a secret, and only needed to make more certificates."""

_DAYS: Final = 825  # how long a certificate is valid


def quiet_dask() -> None:
    """Keep Dask from printing, because arena informs users, and from measuring, which costs time."""
    import dask

    for name in ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    measuring = ("distributed.admin.system-monitor.gil.enabled", "distributed.worker.profile.enabled")
    dask.config.set(dict.fromkeys(measuring, False))


def security_of(address: str, certificates: Path) -> Security | None:
    """Return the security settings for an address with ``tls://``; None for one with ``tcp://``."""
    if not address.startswith("tls://"):
        return None
    from distributed.security import Security

    for name in (AUTHORITY, MACHINE):
        if not (certificates / name).is_file():
            raise ArenaError(
                f"{certificates}: there is no {name}; make certificates with `arena worker --new-certificates"
                f" DIR`, and copy {AUTHORITY} and {MACHINE} to every machine"
            )
    authority, machine = str(certificates / AUTHORITY), str(certificates / MACHINE)
    roles = [f"tls_{role}_{part}" for role in ("client", "scheduler", "worker") for part in ("cert", "key")]
    return Security(require_encryption=True, tls_ca_file=authority, **dict.fromkeys(roles, machine))


def make_certificates(folder: Path) -> list[Path]:
    """Make an authority, if the folder has none, and a certificate for machines; return the new files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    if (folder / MACHINE).exists():
        raise ArenaError(f"{folder / MACHINE}: this file exists already; remove it, or name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC)

    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def key_text(key: ec.EllipticCurvePrivateKey) -> bytes:
        return key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def certificate(
        subject: x509.Name, public: ec.EllipticCurvePublicKey, *, ca: bool
    ) -> x509.CertificateBuilder:
        usage = x509.KeyUsage(
            digital_signature=not ca,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=ca,
            crl_sign=ca,
            encipher_only=False,
            decipher_only=False,
        )
        # Python 3.13 refuses a certificate that does not identify both keys and say what its key is for.
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))  # the clocks of machines differ
            .not_valid_after(now + timedelta(days=_DAYS))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=0 if ca else None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
                critical=False,
            )
        )

    authority = named("leapfrog-arena cluster")
    written = []
    authority_file, key_file = folder / AUTHORITY, folder / _AUTHORITY_KEY
    if authority_file.exists() and key_file.exists():
        loaded = serialization.load_pem_private_key(key_file.read_bytes(), None)
        assert isinstance(loaded, ec.EllipticCurvePrivateKey)
        authority_key = loaded
    else:
        authority_key = ec.generate_private_key(ec.SECP256R1())
        unsigned = certificate(authority, authority_key.public_key(), ca=True)
        signed = unsigned.sign(authority_key, hashes.SHA256())
        _write(key_file, key_text(authority_key), secret=True)
        _write(authority_file, signed.public_bytes(serialization.Encoding.PEM), secret=False)
        written += [authority_file, key_file]
    machine_key = ec.generate_private_key(ec.SECP256R1())
    both = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    machine = certificate(named("leapfrog-arena machine"), machine_key.public_key(), ca=False)
    signed = machine.add_extension(both, critical=False).sign(authority_key, hashes.SHA256())
    _write(
        folder / MACHINE,
        key_text(machine_key) + signed.public_bytes(serialization.Encoding.PEM),
        secret=True,
    )
    return [*written, folder / MACHINE]


def _write(path: Path, content: bytes, *, secret: bool) -> None:
    """Write a new file, which nobody else may read if it is a secret, not even for a moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if secret else 0o644)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
