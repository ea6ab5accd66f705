/** The Vite configuration of the web app. */
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { precompileSchemas } from '../schemas/precompiled.ts'
import { createEditorStylesPlugin } from './build/editor-styles-as-rules.ts'
import { createServerPagesPlugin } from './build/dev-server.ts'
import { omitUnusedLibraryCode } from './build/omit-unused-library-code.ts'

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** URL of the server for `npm run dev`. */
const serverUrl = process.env['ROLLCALL_SERVER'] ?? 'http://127.0.0.1:3000'

/** The schemas with which the checker in the browser validates an organiser's file and its shared files. */
const schemas = precompileSchemas('event', 'lists', 'gateways', 'texts')

/**
 * The oldest browsers that delegates' pages support (docs/browsers.md); the output uses no newer
 * syntax.
 */
export const OLDEST_BROWSERS = ['chrome109', 'edge109', 'firefox121', 'safari15.4']

/** Suppresses a table of plugin times that would be printed on a slow machine. */
const checks = { bundlerTimings: false }

export default defineConfig(({ isSsrBuild = false }) => ({
  root: resolvePath('.'),
  base: '/',
  plugins: [
    react(),
    omitUnusedLibraryCode(),
    createEditorStylesPlugin(),
    createServerPagesPlugin(serverUrl),
    schemas,
  ],
  worker: { plugins: () => [schemas], rolldownOptions: { checks } },
  resolve: {
    // RJSF can render Markdown in descriptions; event files contain plain text, and the renderer
    // costs 84 KiB.
    alias: { 'markdown-to-jsx/react': resolvePath('./build/plain-text-instead-of-markdown.tsx') },
  },
  // The server-side rendering code is built for Node. There, packages would read NODE_ENV from the server's
  // environment.
  ...(isSsrBuild ? { define: { 'process.env.NODE_ENV': '"production"' } } : {}),
  build: {
    outDir: resolvePath('./dist'),
    emptyOutDir: true,
    // The server reads the manifest to find the files that a page needs.
    manifest: true,
    target: OLDEST_BROWSERS,
    // Fonts and images remain separate files, so that `img-src` and `font-src` need no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks,
      // Importing an engine module has no side effects, so parts that a page does not use (parser, checker) are
      // omitted.
      treeshake: { moduleSideEffects: (id) => !id.startsWith(resolvePath('../engine/')) },
      output: {
        // Every page loads two shared chunks, and one or two chunks with its own code. Each very small chunk would
        // cost a request and be compressed separately.
        codeSplitting: {
          groups: [
            // Everything that the entry imports.
            { name: 'app', tags: ['$initial'], priority: 2 },
            // Modules shared by pages, except by forms without items.
            {
              name: 'more',
              test: /\/(web\/(ui\/(payment\/bill-rows|qr-code)|results\/registration-responses)|engine\/(messages\/(build-result-pages-and-confirmation|placeholder-values)|lib\/theme-colors)\.|node_modules\/uqr\/)/,
              minShareCount: 2,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // Modules shared by the form, the result pages and the office; each page has its own
            // messages.
            {
              name: 'shared',
              test: /\/(web\/(ui\/|app\/(?!api-upload)|build\/plain-text|results\/load-registration|registration\/(closed-page|draft-storage|previous-submission-notice)|[^?]*\.css)|engine\/(?!text-catalogue\/(?!header-footer-and-bill|connection-errors|event-page|file-uploads|validation)))/,
              minShareCount: 3,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    // API calls and form posts. Vite serves the sources, and dev-server.ts answers page requests before they reach
    // this proxy.
    proxy: {
      '^/(?!@)': {
        target: serverUrl,
        bypass: ({ method, headers, url }) => {
          const isApiCall =
            headers['sec-fetch-dest'] === 'empty' && headers.accept !== 'text/x-vite-ping'
          return isApiCall || method !== 'GET' || url?.startsWith('/api/') ? undefined : url
        },
      },
    },
  },
}))
