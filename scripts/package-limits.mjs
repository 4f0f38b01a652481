const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The maximum size of the published package: bytes of the tarball, bytes and files unpacked. */
export const packageLimits = {
  size: 1152 * kibibyte,
  unpackedSize: 4.75 * mebibyte,
  entryCount: 640,
}
