/** Builds the server: bundles its modules and packages into a few files. */
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import type * as Precompiled from '../../../schemas/precompiled.ts'
import { hashSources, isUpToDate, SERVER_BUILD, STAMP_FILE } from './stamp.ts'
import { moveIntoPlace } from './web-app.ts'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')

/** Packages that are not bundled: those with native code, and those that are loaded only when needed. */
const UNBUNDLED_PACKAGES = [
  'better-sqlite3',
  'file-type',
  'pg-native',
  'react',
  'react-dom',
  'vite',
]

/** Builds the server if its sources have changed. Returns true if it was built. */
export async function buildServer(options: {
  readonly force: boolean
  readonly print: (text: string) => void
}): Promise<boolean> {
  if (!options.force && isUpToDate(SERVER_BUILD)) return false
  const sources = hashSources(SERVER_BUILD.sources)
  options.print('Building the server …')
  const { build } = await import('vite')
  // This module is not bundled with the command: it needs the original schemas, which it replaces in the bundle.
  const { href } = pathToFileURL(path.join(ROOT, 'schemas', 'precompiled.ts'))
  const { precompileSchemas } = (await import(href)) as typeof Precompiled
  const temporaryFolder = path.join(ROOT, 'node_modules', `.server-${process.pid}`)
  await rm(temporaryFolder, { recursive: true, force: true })
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    // A command that reads event files would spend a third of its time compiling the schemas.
    plugins: [preserveUrls(), precompileSchemas('event', 'gateways', 'lists', 'site', 'texts')],
    ssr: { noExternal: true, external: UNBUNDLED_PACKAGES },
    build: {
      ssr: true,
      target: 'node22',
      outDir: temporaryFolder,
      emptyOutDir: true,
      copyPublicDir: false,
      // Stack traces show the bundled files and functions; comments in the bundles show the source files. Source maps
      // would make startup a third slower.
      minify: false,
      sourcemap: false,
      rolldownOptions: {
        checks: { bundlerTimings: false },
        input: { 'run-command': path.join(ROOT, 'server', 'cli', 'run-command.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  await writeFile(path.join(temporaryFolder, STAMP_FILE), sources)
  await moveIntoPlace(temporaryFolder, SERVER_BUILD.folder, options)
  return true
}

/** Matches the URL of a worker or child-process file, and any other use of the module's own path. */
const MODULE_URL_PATTERN =
  /new URL\(\s*'(?<file>\.[^']*\/(?<name>[\w-]+)\.ts)',\s*import\.meta\.url,?\s*\)|import\.meta\.(?<what>dirname|url)\b/g

/**
 * Rewrites paths relative to a module. Worker and child-process files are built as separate files; all other files
 * stay in the source folders.
 */
function preserveUrls(): Plugin {
  return {
    name: 'rollcall-places',
    enforce: 'pre',
    transform(code, id) {
      const source = path.relative(ROOT, id)
      if (!/^(server|engine)\//.test(source)) return null
      const pathFromBuild = path.relative(SERVER_BUILD.folder, id)
      const rewrittenCode = code.replaceAll(MODULE_URL_PATTERN, (...match) => {
        const { file, name, what } = match.at(-1) as Readonly<Record<string, string | undefined>>
        if (what === 'url') return `new URL('${pathFromBuild}', import.meta.url).href`
        if (what === 'dirname') return `(import.meta.dirname + '/${path.dirname(pathFromBuild)}')`
        this.emitFile({
          type: 'chunk',
          id: path.join(path.dirname(id), file ?? ''),
          fileName: `${name}.js`,
        })
        return `new URL('./${name}.js', import.meta.url)`
      })
      return rewrittenCode === code ? null : { code: rewrittenCode, map: null }
    },
  }
}
