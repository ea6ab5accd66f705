/** Which packages run on a server, and which of their files: those that the server's sources name, with what they need themselves. */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** What runs on a server; what only builds the web app does not. */
const SOURCES = ['engine', 'schemas', 'server']
const BUILDS = /^(server\/cli\/build\/[\w-]+|schemas\/precompiled)\.ts$/
const PLATFORM = `${process.platform}-${process.arch}`
/** Faces are named by their file, in a piece each. */
const FACES = '@expo-google-fonts/'

type Locked = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The places of the packages below `top`, such as `node_modules/fastify`, sorted. */
export function packagesOfServer(top: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const isInstalled = (place: string): boolean => {
    try {
      return packages[place] !== undefined && readdirSync(join(top, place)).length > 0
    } catch {
      return false
    }
  }
  /** As Node finds it: beside what asks for it, then further up. */
  const placeOf = (name: string, from: string): string | null => {
    for (
      let folder = from;
      ;
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
    ) {
      const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      if (isInstalled(place)) return place
      if (!folder.includes('/node_modules/')) return folder === '' ? null : placeOf(name, '')
    }
  }
  const found = new Set<string>()
  const take = (name: string, from: string): void => {
    const place = placeOf(name, from)
    if (place === null || found.has(place)) return
    found.add(place)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[place] ?? {}
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => peerDependenciesMeta?.[peer]?.optional !== true,
    )
    for (const needed of [
      ...Object.keys(dependencies ?? {}),
      ...Object.keys(optionalDependencies ?? {}),
      ...peers,
    ])
      take(needed, place)
  }
  for (const name of namedBySources(top)) take(name, '')
  return [...found].sort()
}

/** Those of the manifest that a source file of the server names. */
function namedBySources(top: string): readonly string[] {
  const { dependencies } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const text = SOURCES.flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
    .filter((file) => /\.[jt]s$/.test(file) && !BUILDS.test(file))
    .map((file) => readFileSync(join(top, file), 'utf8'))
    .join('\n')
  return Object.keys(dependencies).filter(
    (name) => name.startsWith(FACES) || text.includes(`'${name}'`) || text.includes(`'${name}/`),
  )
}

/** Whether a file of the package runs: not its types, its sources in another language, nor a face that no document has. */
export function wantedOf(top: string, place: string): (from: string) => boolean {
  return (from) => {
    const file = relative(join(top, place), from)
    if (file.split('/').includes('node_modules')) return false
    if (/\.(map|d\.[cm]?ts|md|markdown)$/i.test(file) && !/licen[cs]e/i.test(file)) return false
    if (place.includes(FACES) && file.endsWith('.ttf')) return isFace(basename(file))
    if (place === 'node_modules/better-sqlite3')
      return !/^(deps|src)(\/|$)/.test(file) && isOfPlatform(file)
    return !(place.startsWith('node_modules/node-') && /^(include|share)(\/|$)/.test(file))
  }
}

/** What is compiled ahead for many kinds of machine, of this one. */
const isOfPlatform = (file: string): boolean =>
  !file.startsWith('prebuilds/') || file.startsWith(`prebuilds/${PLATFORM}`)

/** Latin in three weights, the other scripts in one. */
const isFace = (name: string): boolean =>
  /^NotoSans_(400Regular|600SemiBold|700Bold)\.ttf$|^NotoSans[A-Z]\w+_400Regular\.ttf$/.test(name)
