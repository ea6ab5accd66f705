/** Builds the web app with vite if its sources have changed since the last build. */
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { hashSources, isUpToDate, readStamp, STAMP_FILE, WEB_BUILD } from './stamp.ts'

const rootFolder = path.join(import.meta.dirname, '..', '..', '..')
const webFolder = path.join(rootFolder, 'web')
/** Compressing smaller files saves nothing. */
const MIN_COMPRESSED_BYTES = 1024

/** Builds the web app if its sources have changed. Returns true if it was built. */
export async function buildWeb(options: {
  readonly force: boolean
  readonly print: (text: string) => void
}): Promise<boolean> {
  if (!options.force && isUpToDate(WEB_BUILD)) return false
  const sources = hashSources(WEB_BUILD.sources)
  options.print('Building the web app …')
  const { build } = await import('vite')
  // Built in a separate folder and then moved, so that an interrupted build leaves the previous one in place.
  const temporaryFolder = path.join(rootFolder, 'node_modules', `.web-${process.pid}`)
  await rm(temporaryFolder, { recursive: true, force: true })
  await build({
    root: webFolder,
    configFile: path.join(webFolder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: temporaryFolder, emptyOutDir: true },
  })
  // These scripts run before all others, so each bundles its dependencies: shared chunks would load one after the
  // other.
  for (const name of ['pre-hydration-script', 'pre-hydration-script-with-items'])
    await build({
      root: webFolder,
      configFile: false,
      logLevel: 'warn',
      build: {
        outDir: temporaryFolder,
        emptyOutDir: false,
        copyPublicDir: false,
        manifest: `.vite/${name}.json`,
        target: 'es2022',
        modulePreload: false,
        rolldownOptions: {
          checks: { bundlerTimings: false },
          input: path.join(webFolder, 'registration', 'hydration', `${name}.ts`),
          // No module is imported for its side effects.
          treeshake: { moduleSideEffects: false },
        },
      },
    })
  await compressAll(path.join(temporaryFolder, 'assets'))
  // The server-side renderer bundles React, so that React and the components use the same copy.
  await build({
    root: webFolder,
    configFile: path.join(webFolder, 'vite.config.ts'),
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'app/server-rendering.tsx',
      outDir: path.join(temporaryFolder, 'server'),
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
    },
  })
  await writeFile(path.join(temporaryFolder, STAMP_FILE), sources)
  await moveIntoPlace(temporaryFolder, WEB_BUILD.folder, options)
  return true
}

/**
 * Moves the built folder to `target`. Several processes may do this at once (a server that starts while tests build),
 * so `target` always contains the complete output of one process. An existing folder built from the same sources is
 * kept, unless `force` is set. `newFolder` does not exist afterwards.
 */
export async function moveIntoPlace(
  newFolder: string,
  target: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const sources = readStamp(newFolder)
  const replacedFolder = `${newFolder}-replaced`
  for (;;) {
    if (!force && readStamp(target) === sources)
      return rm(newFolder, { recursive: true, force: true })
    await tryMove(['ENOENT'], rename(target, replacedFolder))
    // If another process moved its folder to `target` between these two moves, the loop checks again.
    const isMoved = await tryMove(['ENOTEMPTY', 'EEXIST'], rename(newFolder, target))
    await rm(replacedFolder, { recursive: true, force: true })
    if (isMoved) return
  }
}

/** Returns false if the move failed with one of these codes. Any other error is thrown. */
async function tryMove(codes: readonly string[], move: Promise<void>): Promise<boolean> {
  try {
    await move
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && codes.includes(String(error.code)))
      return false
    throw error
  }
}

async function compressAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const compress = async (name: string): Promise<void> => {
    const file = path.join(folder, name)
    const bytes = await readFile(file)
    if (bytes.length < MIN_COMPRESSED_BYTES) return
    const [gzippedBytes, brotliBytes] = await Promise.all([
      promisify(gzip)(bytes, { level: 9 }),
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    ])
    await Promise.all([writeFile(`${file}.gz`, gzippedBytes), writeFile(`${file}.br`, brotliBytes)])
  }
  const names = await readdir(folder)
  await Promise.all(names.filter((name) => /\.(js|css|svg|json)$/.test(name)).map(compress))
}
