const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * The maximum size of the published package: bytes of the tarball, bytes and files unpacked. Of these,
 * the applications of `latchkey init --template` are 37 KiB, 122 KiB and 104 files.
 */
export const packageLimits = {
  size: 1392 * kibibyte,
  unpackedSize: 5.48 * mebibyte,
  entryCount: 832,
}
