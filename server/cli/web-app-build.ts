/** Builds the web app with vite if its sources have changed since the last build. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const top = path.join(import.meta.dirname, '..', '..')
const web = path.join(top, 'web')
const dist = path.join(web, 'dist')
/** The file in a built folder with the hash of its sources. */
const STAMP = 'sources'
/** Compressing smaller files gains nothing. */
const COMPRESSED_BYTES_MIN = 1024

/** Returns true if the existing build is from the current sources. */
export const isWebBuilt = async (): Promise<boolean> =>
  (await builtFrom(dist)) === (await sourcesHash())

/** Returns whether anything had to be built. */
export async function buildWeb(options: {
  readonly force: boolean
  readonly say: (text: string) => void
}): Promise<boolean> {
  if (!options.force && (await isWebBuilt())) return false
  const sources = await sourcesHash()
  options.say('Building the web app …')
  const { build } = await import('vite')
  // Built in a separate folder and then moved: an interrupted build leaves the previous one.
  const beside = path.join(top, 'node_modules', `.web-${process.pid}`)
  await rm(beside, { recursive: true, force: true })
  await build({
    root: web,
    configFile: path.join(web, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: beside, emptyOutDir: true },
  })
  // Runs before everything else, so it includes what it needs: shared chunks would be loaded one after the other.
  await build({
    root: web,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: beside,
      emptyOutDir: false,
      copyPublicDir: false,
      manifest: '.vite/pre-hydration.json',
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: path.join(web, 'registration', 'hydration', 'pre-hydration-script.ts'),
        // Imported modules have no side effects that are needed.
        treeshake: { moduleSideEffects: false },
      },
    },
  })
  await compressAll(path.join(beside, 'assets'))
  // The server-side renderer; it includes its own React, so that both use the same one.
  await build({
    root: web,
    configFile: path.join(web, 'vite.config.ts'),
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'app/server-rendering.tsx',
      outDir: path.join(beside, 'server'),
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
    },
  })
  await writeFile(path.join(beside, STAMP), sources)
  await putInPlace(beside, dist, options)
  return true
}

/**
 * Moves the built folder `made` to `place`. Several processes may do so at once (a server that starts while tests
 * build): an existing folder of the same sources stays, unless `force`, and `place` always has the complete
 * folder of one process. `made` no longer exists afterwards.
 */
export async function putInPlace(
  made: string,
  place: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const sources = await builtFrom(made)
  const old = `${made}-replaced`
  for (;;) {
    if (!force && (await builtFrom(place)) === sources)
      return rm(made, { recursive: true, force: true })
    await unless(['ENOENT'], rename(place, old))
    // Between the two moves another process may have put its folder there: then check again.
    const isPlaced = await unless(['ENOTEMPTY', 'EEXIST'], rename(made, place))
    await rm(old, { recursive: true, force: true })
    if (isPlaced) return
  }
}

/** Returns whether it succeeded; false when it failed with one of these codes, any other error is thrown. */
async function unless(codes: readonly string[], move: Promise<void>): Promise<boolean> {
  try {
    await move
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && codes.includes(String(error.code)))
      return false
    throw error
  }
}

/** Returns the hash of the sources that a folder was built from; null when there is no such folder. */
const builtFrom = (folder: string): Promise<string | null> =>
  readFile(path.join(folder, STAMP), 'utf8').catch(() => null)

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of ['web', 'engine', 'schemas']) {
    const names = (await readdir(path.join(top, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(top, path.join(entry.parentPath, entry.name)))
      .filter((name) => !/^web.dist\b/.test(name))
      .sort()
    for (const name of names)
      hash
        .update(name)
        .update('\0')
        .update(await readFile(path.join(top, name)))
  }
  hash.update(await readFile(path.join(top, 'package-lock.json')))
  return hash.digest('hex')
}

async function compressAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const compress = async (name: string): Promise<void> => {
    const file = path.join(folder, name)
    const bytes = await readFile(file)
    if (bytes.length < COMPRESSED_BYTES_MIN) return
    const [zipped, brotlied] = await Promise.all([
      promisify(gzip)(bytes, { level: 9 }),
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    ])
    await Promise.all([writeFile(`${file}.gz`, zipped), writeFile(`${file}.br`, brotlied)])
  }
  const names = await readdir(folder)
  await Promise.all(names.filter((name) => /\.(js|css|svg|json)$/.test(name)).map(compress))
}
