/** Whose URLs name a host of the network. */
export const isWebScheme = (scheme: string): boolean => scheme === 'https' || scheme === 'http'

/** They run, show or fetch content in the place of leading to an application. */
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

/** Whether a URL of this scheme can lead to an application, on the web or installed. */
export const leadsToApplication = (scheme: string): boolean => !contentSchemes.has(scheme)
