/** How the web app is built: what is left out, and where its files go. */
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { precompiledSchemas } from '../schemas/precompiled.ts'
import { serverPages } from './build/dev-server.ts'
import { neverDrawn } from './build/omit-unused-library-code.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where `npm run dev` has the server. */
const server = process.env['ROLLCALL_SERVER'] ?? 'http://127.0.0.1:3000'

/** An organiser's file and those beside it are checked in the browser. */
const schemas = precompiledSchemas('event', 'lists', 'gateways', 'texts')

/** The oldest browsers in which delegates' pages work (docs/browsers.md); nothing that they do not know is written. */
export const OLDEST = ['chrome109', 'edge109', 'firefox121', 'safari15.4']

export default defineConfig(({ isSsrBuild = false }) => ({
  root: here('.'),
  base: '/',
  plugins: [react(), neverDrawn(), serverPages(server), schemas],
  worker: { plugins: () => [schemas] },
  resolve: {
    // RJSF can render Markdown in descriptions; event files hold plain text, and the renderer costs 84 KiB.
    alias: { 'markdown-to-jsx/react': here('./build/plain-text-instead-of-markdown.tsx') },
  },
  // What draws for the server is built for Node, where packages would ask the server's own environment.
  ...(isSsrBuild ? { define: { 'process.env.NODE_ENV': '"production"' } } : {}),
  // The server replaces the word by a fresh nonce in every answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    // Tells the server which files a page will ask for.
    manifest: true,
    target: OLDEST,
    // Fonts and pictures stay files of their own: `img-src` and `font-src` need no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Nothing in the engine runs on import, so what a page does not use (parser, checker) stays out of it.
      treeshake: { moduleSideEffects: (id) => !id.startsWith(here('../engine/')) },
      output: {
        // Two requests for every page and one or two of its own; crumbs would cost a request each and be compressed apart.
        codeSplitting: {
          groups: [
            // All that the entry imports.
            { name: 'app', tags: ['$initial'], priority: 2 },
            // What they have in common that a form does not draw which sells the registration alone.
            {
              name: 'more',
              test: /\/(web\/ui\/(payment\/bill-rows|qr-code)|engine\/(messages\/(result-pages|registration-values)|lib\/theme-colors)\.|node_modules\/uqr\/)/,
              minShareCount: 2,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // What the form, the result pages and the office have in common.
            {
              name: 'shared',
              test: /\/(web\/(ui\/|app\/(?!api-upload)|build\/plain-text|results\/load-registration|registration\/(closed-page|draft-storage|previous-submission-notice)|[^?]*\.css)|engine\/)/,
              minShareCount: 3,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    // What a page calls or posts; its sources are vite's, and pages are answered before (dev-server.ts).
    proxy: {
      '^/(?!@)': {
        target: server,
        bypass: ({ method, headers, url }) => {
          const calls =
            headers['sec-fetch-dest'] === 'empty' && headers.accept !== 'text/x-vite-ping'
          return calls || method !== 'GET' || url?.startsWith('/api/') ? undefined : url
        },
      },
    },
  },
}))
