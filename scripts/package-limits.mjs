const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The maximum size of the published package: bytes of the tarball, bytes and files unpacked. */
export const packageLimits = {
  size: 960 * kibibyte,
  unpackedSize: 3.75 * mebibyte,
  entryCount: 500,
}
