/** Finds the features that a built script uses but a supported browser lacks. */
import { createRequire } from 'node:module'
import { parse } from 'acorn'
import { analyze } from 'eslint-scope'
import type { CompatStatement, Identifier } from '@mdn/browser-compat-data/types'
import type * as ES from 'estree'

/** MDN's browser keys, each with its oldest supported version. */
export type MinimumVersions = Readonly<Record<string, string>>

type Member = {
  /** The interface or object that the member belongs to. */
  readonly owner: string
  readonly isStatic: boolean
  readonly compat: CompatStatement
}

const bcd = createRequire(import.meta.url)('@mdn/browser-compat-data') as {
  readonly api: Record<string, Identifier>
  readonly javascript: { readonly builtins: Record<string, Identifier> }
}

/** The first versions that support lookbehind in regular expressions, which are not transpiled. */
const LOOKBEHIND_VERSIONS: MinimumVersions = {
  chrome: '62',
  firefox: '78',
  safari: '16.4',
  safari_ios: '16.4',
}

const STATIC = '_static'
const getCompat = (identifier: Identifier | undefined): CompatStatement | undefined =>
  identifier?.__compat

/** Global names: `structuredClone`, `IntersectionObserver`, `requestIdleCallback`. */
const globals = new Map<string, CompatStatement[]>()
/** Member names, each with all the interfaces that have such a member. */
const members = new Map<string, Member[]>()
const interfaces = { ...bcd.api, ...bcd.javascript.builtins }

const addToMap = <T>(map: Map<string, T[]>, name: string, value: T): void => {
  const existing = map.get(name)
  if (existing === undefined) map.set(name, [value])
  else existing.push(value)
}
for (const [name, api] of Object.entries(interfaces)) {
  const compat = getCompat(api)
  if (compat === undefined) continue
  addToMap(globals, name, compat)
  for (const [key, member] of Object.entries(api)) {
    const compat = key === '__compat' ? undefined : getCompat(member as Identifier)
    if (compat === undefined) continue
    const isStatic = key.endsWith(STATIC)
    const memberName = isStatic ? key.slice(0, -STATIC.length) : key
    if (memberName !== name) addToMap(members, memberName, { owner: name, isStatic, compat })
    if (name === 'Window' || name === 'DedicatedWorkerGlobalScope')
      addToMap(globals, memberName, compat)
  }
}

/**
 * A receiver of unknown type is assumed to be one of these. Other interfaces (payment requests,
 * graphics, sensors) have members with the same names as properties of ordinary objects.
 */
const COMMON_INTERFACES =
  /^(Element|HTML\w*Element|Node(List)?|Document(Fragment)?|(Mouse|Keyboard|Input|UI)?Event(Target)?|Blob|File|FileList|FormData|Response|Request|Headers|URL(SearchParams)?|Abort(Controller|Signal)|Storage|DataTransfer|Selection|Range|DOMTokenList|CSSStyleDeclaration|HTMLCollection)$/
const isCommon = ({ owner }: Member): boolean =>
  owner in bcd.javascript.builtins || COMMON_INTERFACES.test(owner)

/** Returns the interface of a global: `navigator` is an instance of Navigator. */
const toInterfaceName = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`
const isKnown = (name: string): boolean => globals.has(name) || toInterfaceName(name) in interfaces
const GLOBAL_OBJECTS = new Set(['window', 'self', 'globalThis'])
/**
 * Methods that return an iterator. Iterator helpers (`map`, `filter`) are newer than the array methods with the same
 * names.
 */
const ITERATOR_METHODS = new Set(['keys', 'values', 'entries', 'matchAll'])

const toVersionNumber = (version: string): number => {
  const [major = 0, minor = 0] = version.replace('≤', '').split('.').map(Number)
  return major * 1_000 + minor
}

/** Returns the supported browsers that lack a feature, or an empty list if MDN has no data. */
function findLackingBrowsers({ support }: CompatStatement, browsers: MinimumVersions): string[] {
  return Object.entries(browsers).flatMap(([browser, minimumVersion]) => {
    const supportData = support[browser as keyof typeof support]
    if (supportData === undefined) return []
    const isSupported = [supportData].flat().some((statement) => {
      const { version_added: addedIn, version_removed: removedIn } = statement as {
        readonly version_added: string | false
        readonly version_removed?: string
      }
      if ('flags' in statement || 'prefix' in statement || 'alternative_name' in statement)
        return false
      if (typeof addedIn !== 'string' || addedIn === 'preview') return false
      return (
        toVersionNumber(addedIn) <= toVersionNumber(minimumVersion) &&
        !(removedIn && toVersionNumber(removedIn) <= toVersionNumber(minimumVersion))
      )
    })
    return isSupported ? [] : [browser]
  })
}

type Node = ES.Node | ES.Program
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
const getChildren = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/**
 * Returns the features that `source` uses and that one of `browsers` lacks, with the browsers that lack them:
 * `Array.toSorted: chrome, safari`. A name after `typeof` or before `?.` is a feature test, not a use. If the type of
 * `x` in `x.name` is unknown, the name is reported only if every common interface with such a member is too new.
 */
export function findUnsupportedFeatures(
  source: string,
  browsers: MinimumVersions,
): readonly string[] {
  // Syntax newer than ES2022 is a parse error, because the build should have transpiled it.
  const tree = parse(source, {
    ecmaVersion: 2022,
    sourceType: 'module',
    ranges: true,
  }) as ES.Program
  const scopes = analyze(tree, { ecmaVersion: 2022, sourceType: 'module' })
  const globalIdentifiers = new Set<unknown>(
    scopes.globalScope?.through.map(({ identifier }) => identifier),
  )
  const features = new Set<string>()
  const addIfUnsupported = (name: string, compats: readonly CompatStatement[]): void => {
    const lackingBrowsers = compats.map((compat) => findLackingBrowsers(compat, browsers))
    const [firstLacking] = lackingBrowsers
    if (
      firstLacking !== undefined &&
      lackingBrowsers.every((browserNames) => browserNames.length > 0)
    )
      features.add(`${name}: ${firstLacking.join(', ')}`)
  }
  const checkMember = (node: ES.MemberExpression, parent: Node | undefined): void => {
    const { object, property } = node
    const name =
      !node.computed && property.type === 'Identifier'
        ? property.name
        : property.type === 'Literal' && String(property.value)
    const candidates = name ? members.get(name) : undefined
    const isCalled = parent?.type === 'CallExpression' && parent.callee === node
    if (!name) return
    if (object.type === 'Identifier' && globalIdentifiers.has(object) && isKnown(object.name)) {
      if (GLOBAL_OBJECTS.has(object.name)) return addIfUnsupported(name, globals.get(name) ?? [])
      const ownMembers = candidates?.filter(({ owner }) => owner === object.name) ?? []
      const instanceMembers =
        candidates?.filter((member) => member.owner === toInterfaceName(object.name)) ?? []
      return addIfUnsupported(
        `${object.name}.${name}`,
        (ownMembers.length > 0 ? ownMembers : instanceMembers).map(({ compat }) => compat),
      )
    }
    if (!isCalled || candidates === undefined) return
    const isIterator =
      object.type === 'CallExpression' &&
      object.callee.type === 'MemberExpression' &&
      object.callee.property.type === 'Identifier' &&
      ITERATOR_METHODS.has(object.callee.property.name) &&
      // `Object.values(x)` returns an array.
      !(object.callee.object.type === 'Identifier' && object.callee.object.name === 'Object')
    const matchingMembers = candidates.filter(
      (member) =>
        !member.isStatic &&
        (isIterator
          ? member.owner === 'Iterator'
          : isCommon(member) &&
            member.owner !== 'Iterator' &&
            isSupportedInterface(member.owner, browsers)),
    )
    addIfUnsupported(
      `${[...new Set(matchingMembers.map(({ owner }) => owner))].join('/')}.${name}`,
      matchingMembers.map(({ compat }) => compat),
    )
  }
  const walk = (node: Node, parent?: Node): void => {
    const isFeatureTest =
      (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') ||
      (parent?.type === 'MemberExpression' && parent.object === node && parent.optional) ||
      (parent?.type === 'CallExpression' && parent.callee === node && parent.optional)
    if (!isFeatureTest && node.type === 'Identifier' && globalIdentifiers.has(node))
      addIfUnsupported(node.name, globals.get(node.name) ?? [])
    if (!isFeatureTest && node.type === 'MemberExpression') checkMember(node, parent)
    if (node.type === 'StaticBlock') features.add('static block of a class: safari, safari_ios')
    if (node.type === 'Literal' && 'regex' in node && /\(\?<[=!]/.test(node.regex.pattern)) {
      const lookbehindGaps = Object.entries(LOOKBEHIND_VERSIONS).filter(
        ([browser, supportedFrom]) =>
          toVersionNumber(browsers[browser] ?? supportedFrom) < toVersionNumber(supportedFrom),
      )
      if (lookbehindGaps.length > 0)
        features.add(`lookbehind: ${lookbehindGaps.map(([name]) => name).join(', ')}`)
    }
    for (const child of getChildren(node)) walk(child, node)
  }
  walk(tree)
  return [...features].toSorted()
}

/** Returns whether all the browsers support an interface. A missing interface is reported where it is constructed. */
const isSupportedInterface = (name: string, browsers: MinimumVersions): boolean =>
  (globals.get(name) ?? []).some((compat) => findLackingBrowsers(compat, browsers).length === 0)
