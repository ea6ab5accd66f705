/**
 * Finds the packages that a server needs (those that its sources import, and their dependencies), and selects the files
 * of each package.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** Folders with code that runs on a server; folders that only build the web app are excluded. */
const SOURCE_FOLDERS = ['engine', 'schemas', 'server']
const BUILD_FILES = /^(server\/cli\/build\/[\w-]+|schemas\/precompiled)\.ts$/
const PLATFORM = `${process.platform}-${process.arch}`
/** Fonts are referenced by file name, one file per script and weight. */
const FONT_PACKAGES = '@expo-google-fonts/'

type LockedPackage = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** Returns the folders of the packages in `rootFolder`, such as `node_modules/fastify`, sorted. */
export function findServerPackages(rootFolder: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(rootFolder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const isInstalled = (packageFolder: string): boolean => {
    try {
      return (
        packages[packageFolder] !== undefined &&
        readdirSync(join(rootFolder, packageFolder)).length > 0
      )
    } catch {
      return false
    }
  }
  /** Finds a package's folder as Node does: first in the importing package, then in parent folders. */
  const findPackageFolder = (name: string, from: string): string | null => {
    for (
      let folder = from;
      ;
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
    ) {
      const packageFolder = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      if (isInstalled(packageFolder)) return packageFolder
      if (!folder.includes('/node_modules/'))
        return folder === '' ? null : findPackageFolder(name, '')
    }
  }
  const packageFolders = new Set<string>()
  const addPackage = (name: string, from: string): void => {
    const packageFolder = findPackageFolder(name, from)
    if (packageFolder === null || packageFolders.has(packageFolder)) return
    packageFolders.add(packageFolder)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[packageFolder] ?? {}
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => peerDependenciesMeta?.[peer]?.optional !== true,
    )
    for (const dependency of [
      ...Object.keys(dependencies ?? {}),
      ...Object.keys(optionalDependencies ?? {}),
      ...peers,
    ])
      addPackage(dependency, packageFolder)
  }
  for (const name of findImportedPackages(rootFolder)) addPackage(name, '')
  return [...packageFolders].sort()
}

/** Returns the dependencies in package.json that a source file of the server imports. */
function findImportedPackages(rootFolder: string): readonly string[] {
  const { dependencies } = JSON.parse(readFileSync(join(rootFolder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const text = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(rootFolder, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
    .filter((file) => /\.[jt]s$/.test(file) && !BUILD_FILES.test(file))
    .map((file) => readFileSync(join(rootFolder, file), 'utf8'))
    .join('\n')
  return Object.keys(dependencies).filter(
    (name) =>
      name.startsWith(FONT_PACKAGES) || text.includes(`'${name}'`) || text.includes(`'${name}/`),
  )
}

/** Returns a filter for the package files that a server needs: no types, no native source code, no unused fonts. */
export function createFileFilter(
  rootFolder: string,
  packageFolder: string,
): (from: string) => boolean {
  return (from) => {
    const file = relative(join(rootFolder, packageFolder), from)
    if (file.split('/').includes('node_modules')) return false
    if (/\.(map|d\.[cm]?ts|md|markdown)$/i.test(file) && !/licen[cs]e/i.test(file)) return false
    if (packageFolder.includes(FONT_PACKAGES) && file.endsWith('.ttf'))
      return isUsedFont(basename(file))
    if (packageFolder === 'node_modules/better-sqlite3')
      return !/^(deps|src)(\/|$)/.test(file) && isForPlatform(file)
    return !(packageFolder.startsWith('node_modules/node-') && /^(include|share)(\/|$)/.test(file))
  }
}

/** Excludes binaries for other platforms. */
const isForPlatform = (file: string): boolean =>
  !file.startsWith('prebuilds/') || file.startsWith(`prebuilds/${PLATFORM}`)

/** Latin fonts are used in three weights, fonts of other scripts in one. */
const isUsedFont = (name: string): boolean =>
  /^NotoSans_(400Regular|600SemiBold|700Bold)\.ttf$|^NotoSans[A-Z]\w+_400Regular\.ttf$/.test(name)
