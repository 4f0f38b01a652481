/**
 * The packages that are bundled into ours, since an application often has another version of them:
 * in node_modules ours would replace the h3 and cookie-es of Nitro 2. h3 depends on the two after
 * it, unstorage on the one after it. Of unstorage a few functions are bundled, and no drivers.
 */
export const builtIn = ['h3', 'rou3', 'srvx', 'unstorage', 'destr', 'cookie-es']
