/** Builds the web app with vite, when its sources are not the ones it was built from. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const top = path.join(import.meta.dirname, '..', '..')
const web = path.join(top, 'web')
const dist = path.join(web, 'dist')
/** The file of a built folder that holds the hash of the sources it was built from. */
const STAMP = 'sources'
/** Smaller files gain nothing by being compressed. */
const COMPRESSED_BYTES_MIN = 1024

/** Whether what stands there was built from the sources as they are now. */
export const isWebBuilt = async (): Promise<boolean> =>
  (await builtFrom(dist)) === (await sourcesHash())

/** Answers whether there was anything to build. */
export async function buildWeb(options: {
  readonly force: boolean
  readonly say: (text: string) => void
}): Promise<boolean> {
  if (!options.force && (await isWebBuilt())) return false
  const sources = await sourcesHash()
  options.say('Building the web app …')
  const { build } = await import('vite')
  // Built in a folder of its own and moved into place: a build that breaks off leaves what was there.
  const beside = path.join(top, 'node_modules', `.web-${process.pid}`)
  await rm(beside, { recursive: true, force: true })
  await build({
    root: web,
    configFile: path.join(web, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: beside, emptyOutDir: true },
  })
  // Comes before all that, and so brings what it needs itself: shared chunks would be fetched one after the other.
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
        // Of what it imports nothing has to run but what it calls.
        treeshake: { moduleSideEffects: false },
      },
    },
  })
  await compressAll(path.join(beside, 'assets'))
  // What draws the form for the server; it brings its own React, so that both draw by the same one.
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
 * Moves the built folder `made` to `place`. Several processes may do so at once (a server that starts
 * while tests build): a folder of the same sources that came first stays, unless `force`, and what is
 * in the place is always one process's folder as a whole. `made` is gone afterwards.
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
    // Between the two moves another process may have put its folder there: then look again.
    const isPlaced = await unless(['ENOTEMPTY', 'EEXIST'], rename(made, place))
    await rm(old, { recursive: true, force: true })
    if (isPlaced) return
  }
}

/** Whether it went through; false when it failed with one of these codes, any other is thrown. */
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

/** The hash of the sources that a folder was built from; null when there is no such folder. */
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
