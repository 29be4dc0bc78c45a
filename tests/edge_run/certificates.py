"""An authority of a test's own, and certificates of it for this machine, made by the openssl program."""

import subprocess

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


def new_authority(folder):
    file, key = folder / "ca.pem", folder / "ca-key.pem"
    openssl("req", "-x509", *CURVE, "-keyout", key, "-out", file, "-days", 2, "-subj", "/CN=a test's authority")
    return Authority(folder, file, key)


class Authority:
    """Signs with a certificate and its key."""

    def __init__(self, folder, file, key):
        self.folder, self.file, self.key = folder, file, key

    def certificate(self, name, *extensions):
        """(certificate file, key file) of a server at 127.0.0.1."""
        request, extra = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}-key.pem"
        extra.write_text("\n".join(["subjectAltName=IP:127.0.0.1", *extensions]))
        openssl("req", *CURVE, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        signed_by = ("-CA", self.file, "-CAkey", self.key, "-CAcreateserial")
        openssl("x509", "-req", "-in", request, *signed_by, "-out", certificate, "-days", 1, "-extfile", extra)
        return certificate, key
