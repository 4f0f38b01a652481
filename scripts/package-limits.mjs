const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The maximum size of the published package: bytes of the tarball, bytes and files unpacked. */
export const packageLimits = {
  size: 900 * kibibyte,
  unpackedSize: 3.5 * mebibyte,
  entryCount: 480,
}
