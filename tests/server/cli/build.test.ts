/** The built web app is replaced as a whole, even if builds run at the same time. */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveIntoPlace } from '../../../server/cli/build/web-app.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-build-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Creates a build's folder. Each of its files contains the builder's name. */
async function createBuild(builder: string, sources: string): Promise<string> {
  const path = join(folder, `made-${builder}`)
  await mkdir(join(path, 'assets'), { recursive: true })
  for (const name of ['index.html', 'assets/a.js', 'assets/b.js', 'assets/c.css'])
    await writeFile(join(path, name), builder)
  await writeFile(join(path, 'sources'), sources)
  return path
}

/** Lists the builders whose names are in a folder's files: two, if the files come from two builds. */
async function listBuilders(folder: string): Promise<readonly string[]> {
  const names = ['index.html', 'assets/a.js', 'assets/b.js', 'assets/c.css']
  return [...new Set(await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8'))))]
}

const BUILDERS = Array.from({ length: 12 }, (_, index) => `builder-${index}`)

test.each([
  { sources: 'the same sources', sourcesOf: () => 'new', force: false },
  { sources: 'the same sources, forced', sourcesOf: () => 'new', force: true },
  { sources: 'different sources', sourcesOf: (builder: string) => builder, force: false },
])(
  'builds that end at the same time do not fail with "directory not empty": $sources',
  async ({ sources, sourcesOf, force }) => {
    const target = join(folder, `dist ${sources}`)
    await moveIntoPlace(await createBuild('an earlier builder', 'old'), target, { force })
    const folders = await Promise.all(
      BUILDERS.map((builder) => createBuild(builder, sourcesOf(builder))),
    )
    await Promise.all(folders.map((path) => moveIntoPlace(path, target, { force })))
    const builders = await listBuilders(target)
    expect(builders).toHaveLength(1)
    expect(BUILDERS).toContain(builders[0])
    expect((await readdir(folder)).filter((name) => name.startsWith('made-'))).toEqual([])
  },
)

test('uses the build that another process made from the same sources', async () => {
  const target = join(folder, 'dist')
  await moveIntoPlace(await createBuild('the first', 'new'), target, { force: false })
  await moveIntoPlace(await createBuild('the second', 'new'), target, { force: false })
  expect(await listBuilders(target)).toEqual(['the first'])
  await moveIntoPlace(await createBuild('the third', 'new'), target, { force: true })
  expect(await listBuilders(target)).toEqual(['the third'])
})
