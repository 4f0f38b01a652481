/**
 * What is built into ours, since an application often has another version of it: in node_modules ours would take
 * the place that Nitro 2 expects its own h3 and cookie-es in. h3 is made of the two after it, unstorage of the one after it; of unstorage
 * a few functions are ours, and the drivers that it would bring are not.
 */
export const builtIn = ['h3', 'rou3', 'srvx', 'unstorage', 'destr', 'cookie-es']
