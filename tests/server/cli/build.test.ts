/** The built web app comes into its place whole, also when several processes build at once. */
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

/** A built folder: who made it stands in each of its files. */
async function made(by: string, sources: string): Promise<string> {
  const path = join(folder, `made-${by}`)
  await mkdir(join(path, 'assets'), { recursive: true })
  for (const name of ['index.html', 'assets/a.js', 'assets/b.js', 'assets/c.css'])
    await writeFile(join(path, name), by)
  await writeFile(join(path, 'sources'), sources)
  return path
}

/** Who made what lies there; a folder put together from two would name both. */
async function makersOf(place: string): Promise<readonly string[]> {
  const names = ['index.html', 'assets/a.js', 'assets/b.js', 'assets/c.css']
  return [...new Set(await Promise.all(names.map((name) => readFile(join(place, name), 'utf8'))))]
}

const BUILDERS = Array.from({ length: 12 }, (_, index) => `builder-${index}`)

test.each([
  { sources: 'the same', sourcesOf: () => 'new', force: false },
  { sources: 'the same, forced', sourcesOf: () => 'new', force: true },
  { sources: 'each its own', sourcesOf: (by: string) => by, force: false },
])(
  'builds that end at once do not fail on "directory not empty": $sources',
  async ({ sources, sourcesOf, force }) => {
    const place = join(folder, `dist ${sources}`)
    await moveIntoPlace(await made('somebody before', 'old'), place, { force })
    const folders = await Promise.all(BUILDERS.map((by) => made(by, sourcesOf(by))))
    await Promise.all(folders.map((path) => moveIntoPlace(path, place, { force })))
    const makers = await makersOf(place)
    expect(makers).toHaveLength(1)
    expect(BUILDERS).toContain(makers[0])
    expect((await readdir(folder)).filter((name) => name.startsWith('made-'))).toEqual([])
  },
)

test('uses the build that another process made from the same sources', async () => {
  const place = join(folder, 'dist')
  await moveIntoPlace(await made('the first', 'new'), place, { force: false })
  await moveIntoPlace(await made('the second', 'new'), place, { force: false })
  expect(await makersOf(place)).toEqual(['the first'])
  await moveIntoPlace(await made('the third', 'new'), place, { force: true })
  expect(await makersOf(place)).toEqual(['the third'])
})
