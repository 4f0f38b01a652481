import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/**
 * Has this process believe a certificate, as `NODE_EXTRA_CA_CERTS` would from its start.
 *
 * @returns what ends that.
 */
export function trustCertificate(certificate: string): Disposable {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate])
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) }
}
