/** Reports whether URLs of this scheme name a host of the network. */
export const isWebScheme = (scheme: string): boolean => scheme === 'https' || scheme === 'http'

/** Schemes that run, show or fetch content instead of opening an application. */
const contentSchemes = new Set([
  'about',
  'blob',
  'chrome',
  'data',
  'devtools',
  'edge',
  'feed',
  'file',
  'filesystem',
  'ftp',
  'jar',
  'javascript',
  'livescript',
  'mhtml',
  'mocha',
  'res',
  'resource',
  'vbscript',
  'view-source',
  'ws',
  'wss',
  'wyciwyg',
])

/** Schemes whose URLs make an application open or install what another address names. */
const launchingSchemes = new Set([
  // Browsers.
  ...['brave', 'firefox', 'firefox-focus', 'firefox-klar', 'googlechrome', 'googlechromes'],
  ...['googlechrome-x-callback', 'microsoft-edge', 'opera', 'ucbrowser', 'vivaldi'],
  ...['arc', 'ddgquicklink', 'firefox-private', 'googlechrome-beta', 'x-web-search'],
  ...['samsunginternet', 'yandexbrowser-open-url'],
  // Protocols, whose addresses any application may open.
  ...['afp', 'facetime', 'gopher', 'ldap', 'ldaps', 'mailto', 'news', 'nfs', 'sms', 'smb', 'ssh'],
  ...['git', 'mms', 'rdp', 'rtsp', 'sftp', 'svn', 'tel', 'telnet', 'vnc', 'webcal'],
  // Systems, and their automation.
  ...['android-app', 'content', 'intent', 'market', 'search-ms', 'shortcuts', 'workflow'],
  ...['applescript', 'hcp', 'ms-settings', 'search', 'shell', 'steam', 'x-man-page'],
  ...['itms', 'itms-apps', 'itms-appss', 'itms-services', 'x-apple-shortcuts'],
  // Applications that open the document, repository or stream of a URL.
  ...['github-mac', 'iina', 'jetbrains', 'vlc'],
  // Applications of Windows that open a document at a URL.
  ...['ms-access', 'ms-appinstaller', 'ms-excel', 'ms-infopath', 'ms-msdt', 'ms-officecmd'],
  ...['ms-powerpoint', 'ms-project', 'ms-publisher', 'ms-search', 'ms-spd', 'ms-visio'],
  ...['ms-windows-store', 'ms-word'],
])
/** Schemes of browsers, such as `microsoft-edge-https`, and schemes that web pages can register. */
const launchingForm = /^(?:web|ext)\+|-https?$/

/**
 * Reports whether a URL of this scheme can open any address through another application, as
 * `googlechromes://evil.example` does, so that the scheme identifies no application.
 */
export const launchesOthers = (scheme: string): boolean =>
  launchingSchemes.has(scheme) || launchingForm.test(scheme)

/** Reports whether a URL of this scheme can open an application, on the web or installed. */
export const leadsToApplication = (scheme: string): boolean => !contentSchemes.has(scheme)
