#pragma once
// A certificate for 127.0.0.1, good until 2120 and its own authority, its key, and keys that are of
// no use with it. They guard nothing.

#include <string>

namespace tidemark::test {

inline const std::string kCertificatePem =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBQzCB66ADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDXRpZGVtYXJr\n"
    "LXRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBgxFjAUBgNV\n"
    "BAMMDXRpZGVtYXJrLXRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT82D8h\n"
    "zS/0n2+bPG8s0ryC864i19w7+A/xOn2hcA/6EH5TP9aPVqR61iN3jgsAnwd7z26O\n"
    "LAOuF39xD/B0C0INoyQwIjAPBgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8A\n"
    "AAEwCgYIKoZIzj0EAwIDRwAwRAIgJ/GOWpZjay9izLfAo196ahKFeNKMbquiYr/g\n"
    "R4yV71oCIGc+Xgkm6icboKfRJWC+I/cE9RPtLhrhhNT0eeh739Il\n"
    "-----END CERTIFICATE-----\n";

inline const std::string kKeyPem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+J3S3Saa85jEltmu\n"
    "iujHOH3Ch12p2wdcQ44Q4meceuqhRANCAAT82D8hzS/0n2+bPG8s0ryC864i19w7\n"
    "+A/xOn2hcA/6EH5TP9aPVqR61iN3jgsAnwd7z26OLAOuF39xD/B0C0IN\n"
    "-----END PRIVATE KEY-----\n";

inline const std::string kOtherKeyPem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJrmwQ/Bje/K9KkPK\n"
    "fDYAvHLurCV6AyuPQbmIPVXopfyhRANCAASgVx3reOx3J1euHnDHZbfjE/7p0zxo\n"
    "J9KgDR+hO7bPouDM4OuULYdDJHcSJPQDyAjueA0zuvSRsPkNBqPSLNMm\n"
    "-----END PRIVATE KEY-----\n";

inline const std::string kLockedKeyPem =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBBJdOwgGn0Z4q49Wid2\n"
    "N7w+AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQQPFkhYGCKS0mAV0j\n"
    "6cUzAgSBkI5FnoYFB8ob8x2XNIX7HnnxVfLeU5n6DC5PHgpsrTNcld0OADHSOaPJ\n"
    "DI9Hwk2NwbgMI4niy/a7jgUBsr/FwjtYH9q756hwEuuOQe8FlORAfeq6bNZsOmSI\n"
    "ozLYLSQZPpINs+us+D5NUb1kb4fVrtqIVgf9ao+Xj8+uLqYPArJpWolBcgQhWPpj\n"
    "B8JNX5JmxQ==\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

}  // namespace tidemark::test
