/** Reports whether URLs of this scheme name a host of the network. */
export const isWebScheme = (scheme: string): boolean => scheme === 'https' || scheme === 'http'

/** Schemes that run, show or fetch content instead of opening an application. */
const contentSchemes = new Set([
  'about',
  'blob',
  'data',
  'feed',
  'file',
  'filesystem',
  'ftp',
  'jar',
  'javascript',
  'livescript',
  'mhtml',
  'mocha',
  'vbscript',
  'view-source',
  'ws',
  'wss',
  'wyciwyg',
])

/** Reports whether a URL of this scheme can open an application, on the web or installed. */
export const leadsToApplication = (scheme: string): boolean => !contentSchemes.has(scheme)
