/** Builds the web app with vite, when its sources are not the ones it was built from. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const top = path.join(import.meta.dirname, '..', '..')
const web = path.join(top, 'web')
const dist = path.join(web, 'dist')
/** Holds the hash of the sources that dist was built from. */
const stamp = path.join(dist, 'sources')
/** Smaller files gain nothing by being compressed. */
const COMPRESSED_BYTES_MIN = 1024

/** Answers whether there was anything to build. */
export async function buildWeb(options: {
  readonly force: boolean
  readonly say: (text: string) => void
}): Promise<boolean> {
  const sources = await sourcesHash()
  const built = await readFile(stamp, 'utf8').catch(() => '')
  if (!options.force && built === sources) return false
  options.say('Building the web app …')
  const { build } = await import('vite')
  // Built beside and moved into place: a build that breaks off leaves what was there.
  const beside = path.join(top, 'node_modules', `.web-${process.pid}`)
  await rm(beside, { recursive: true, force: true })
  await build({
    root: web,
    configFile: path.join(web, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: beside, emptyOutDir: true },
  })
  await compressAll(path.join(beside, 'assets'))
  await writeFile(path.join(beside, 'sources'), sources)
  await rm(dist, { recursive: true, force: true })
  await rename(beside, dist)
  return true
}

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
  for (const name of await readdir(folder)) {
    if (!/\.(js|css|svg|json)$/.test(name)) continue
    const file = path.join(folder, name)
    const bytes = await readFile(file)
    if (bytes.length < COMPRESSED_BYTES_MIN) continue
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    await writeFile(
      `${file}.br`,
      await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    )
  }
}
