/**
 * The packages that are bundled into ours, by their path in node_modules.
 *
 * An application often has another version of h3, of the two after it that h3 depends on, and of
 * cookie-es: in node_modules ours would replace those of Nitro 2. Of the others a few functions are
 * bundled, and nothing needs the packages that npm would install with them: the drivers of
 * unstorage, a second argon2 with oslo, ASN.1 and JWT with arctic, a DOM with htmlparser2.
 */
export const builtIn = [
  'h3',
  'rou3',
  'srvx',
  'cookie-es',
  'unstorage',
  'destr',
  'oslo',
  'arctic',
  '@oslojs/binary',
  '@oslojs/crypto',
  '@oslojs/encoding',
  '@oslojs/jwt/node_modules/@oslojs/encoding',
  'htmlparser2',
  'entities',
]

/** Packages that bundled ones import for functions that are not used: no code of them remains. */
export const leftOut = ['@oslojs/jwt', 'dom-serializer', 'domelementtype', 'domhandler', 'domutils']
