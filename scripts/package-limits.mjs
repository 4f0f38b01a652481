const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The maximum size of the published package: bytes of the tarball, bytes and files unpacked. */
export const packageLimits = {
  size: 850 * kibibyte,
  unpackedSize: 3.25 * mebibyte,
  entryCount: 480,
}
