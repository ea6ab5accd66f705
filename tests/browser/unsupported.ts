/** Finds what a built script uses that one of the browsers it is promised to does not have. */
import { createRequire } from 'node:module'
import { parse } from 'acorn'
import { analyze } from 'eslint-scope'
import type { CompatStatement, Identifier } from '@mdn/browser-compat-data/types'
import type * as ES from 'estree'

/** MDN's browsers, with the oldest promised version of each. */
export type Browsers = Readonly<Record<string, string>>

type Carrier = {
  /** The interface or object that has the member. */
  readonly of: string
  readonly isStatic: boolean
  readonly compat: CompatStatement
}

const bcd = createRequire(import.meta.url)('@mdn/browser-compat-data') as {
  readonly api: Record<string, Identifier>
  readonly javascript: { readonly builtins: Record<string, Identifier> }
}

/** A newer edition may be written by hand in a regular expression, which no build rewrites. */
const LOOKBEHIND: Browsers = { chrome: '62', firefox: '78', safari: '16.4', safari_ios: '16.4' }

const STATIC = '_static'
const compatOf = (identifier: Identifier | undefined): CompatStatement | undefined =>
  identifier?.__compat

/** What can stand alone: `structuredClone`, `IntersectionObserver`, `requestIdleCallback`. */
const globals = new Map<string, CompatStatement[]>()
/** What can stand after a full stop, with everything that has a member of that name. */
const members = new Map<string, Carrier[]>()
const interfaces = { ...bcd.api, ...bcd.javascript.builtins }

const add = <T>(to: Map<string, T[]>, name: string, one: T): void => {
  const known = to.get(name)
  if (known === undefined) to.set(name, [one])
  else known.push(one)
}
for (const [name, one] of Object.entries(interfaces)) {
  const own = compatOf(one)
  if (own === undefined) continue
  add(globals, name, own)
  for (const [key, member] of Object.entries(one)) {
    const compat = key === '__compat' ? undefined : compatOf(member as Identifier)
    if (compat === undefined) continue
    const isStatic = key.endsWith(STATIC)
    const called = isStatic ? key.slice(0, -STATIC.length) : key
    if (called !== name) add(members, called, { of: name, isStatic, compat })
    if (name === 'Window' || name === 'DedicatedWorkerGlobalScope') add(globals, called, compat)
  }
}

/**
 * Receivers whose type nobody can read from the script are taken to be one of these. The other interfaces
 * (payment requests, graphics, sensors) share their members' names with the properties of every program.
 */
const COMMON =
  /^(Element|HTML\w*Element|Node(List)?|Document(Fragment)?|(Mouse|Keyboard|Input|UI)?Event(Target)?|Blob|File|FileList|FormData|Response|Request|Headers|URL(SearchParams)?|Abort(Controller|Signal)|Storage|DataTransfer|Selection|Range|DOMTokenList|CSSStyleDeclaration|HTMLCollection)$/
const isCommon = ({ of }: Carrier): boolean => of in bcd.javascript.builtins || COMMON.test(of)

/** `navigator` is a Navigator. */
const interfaceOf = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`
const isKnown = (name: string): boolean => globals.has(name) || interfaceOf(name) in interfaces
const ITSELF = new Set(['window', 'self', 'globalThis'])
/** What answers an iterator: its helpers (`map`, `filter`) are younger than the ones of lists. */
const ITERATORS = new Set(['keys', 'values', 'entries', 'matchAll'])

const number = (version: string): number => {
  const [major = 0, minor = 0] = version.replace('≤', '').split('.').map(Number)
  return major * 1_000 + minor
}

/** The promised browsers without a feature: none where MDN does not know, or knows it from the promised version on. */
function lacking({ support }: CompatStatement, browsers: Browsers): string[] {
  return Object.entries(browsers).flatMap(([browser, oldest]) => {
    const known = support[browser as keyof typeof support]
    if (known === undefined) return []
    const has = [known].flat().some((one) => {
      const { version_added: from, version_removed: until } = one as {
        readonly version_added: string | false
        readonly version_removed?: string
      }
      if ('flags' in one || 'prefix' in one || 'alternative_name' in one) return false
      if (typeof from !== 'string' || from === 'preview') return false
      return number(from) <= number(oldest) && !(until && number(until) <= number(oldest))
    })
    return has ? [] : [browser]
  })
}

type Node = ES.Node | ES.Program
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/**
 * Features that `source` uses and one of `browsers` lacks, each with those browsers: `Array.toSorted: chrome, safari`.
 * A name behind `typeof` or before `?.` is asked for, not used. Of `x.name`, where nothing tells what `x` is, the youngest
 * wording counts only when every common type with such a member is too young.
 */
export function unsupportedIn(source: string, browsers: Browsers): readonly string[] {
  // Newer syntax than that of 2022 does not parse: the build writes it in older words.
  const tree = parse(source, {
    ecmaVersion: 2022,
    sourceType: 'module',
    ranges: true,
  }) as ES.Program
  const scopes = analyze(tree, { ecmaVersion: 2022, sourceType: 'module' })
  const free = new Set<unknown>(scopes.globalScope?.through.map(({ identifier }) => identifier))
  const found = new Set<string>()
  const judge = (name: string, compats: readonly CompatStatement[]): void => {
    const each = compats.map((compat) => lacking(compat, browsers))
    const [first] = each
    if (first !== undefined && each.every((one) => one.length > 0))
      found.add(`${name}: ${first.join(', ')}`)
  }
  const judgeMember = (node: ES.MemberExpression, parent: Node | undefined): void => {
    const { object, property } = node
    const name =
      !node.computed && property.type === 'Identifier'
        ? property.name
        : property.type === 'Literal' && String(property.value)
    const all = name ? members.get(name) : undefined
    const isCalled = parent?.type === 'CallExpression' && parent.callee === node
    if (!name) return
    if (object.type === 'Identifier' && free.has(object) && isKnown(object.name)) {
      if (ITSELF.has(object.name)) return judge(name, globals.get(name) ?? [])
      const its = all?.filter(({ of }) => of === object.name) ?? []
      const instance = all?.filter((one) => one.of === interfaceOf(object.name)) ?? []
      return judge(
        `${object.name}.${name}`,
        (its.length > 0 ? its : instance).map(({ compat }) => compat),
      )
    }
    if (!isCalled || all === undefined) return
    const isIterator =
      object.type === 'CallExpression' &&
      object.callee.type === 'MemberExpression' &&
      object.callee.property.type === 'Identifier' &&
      ITERATORS.has(object.callee.property.name) &&
      // `Object.values(x)` answers a list.
      !(object.callee.object.type === 'Identifier' && object.callee.object.name === 'Object')
    const carriers = all.filter(
      (one) =>
        !one.isStatic &&
        (isIterator
          ? one.of === 'Iterator'
          : isCommon(one) && one.of !== 'Iterator' && isThere(one.of, browsers)),
    )
    judge(
      `${[...new Set(carriers.map(({ of }) => of))].join('/')}.${name}`,
      carriers.map(({ compat }) => compat),
    )
  }
  const walk = (node: Node, parent?: Node): void => {
    const isAsked =
      (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') ||
      (parent?.type === 'MemberExpression' && parent.object === node && parent.optional) ||
      (parent?.type === 'CallExpression' && parent.callee === node && parent.optional)
    if (!isAsked && node.type === 'Identifier' && free.has(node))
      judge(node.name, globals.get(node.name) ?? [])
    if (!isAsked && node.type === 'MemberExpression') judgeMember(node, parent)
    if (node.type === 'StaticBlock') found.add('static block of a class: safari, safari_ios')
    if (node.type === 'Literal' && 'regex' in node && /\(\?<[=!]/.test(node.regex.pattern)) {
      const without = Object.entries(LOOKBEHIND).filter(
        ([browser, from]) => number(browsers[browser] ?? from) < number(from),
      )
      if (without.length > 0) found.add(`lookbehind: ${without.map(([name]) => name).join(', ')}`)
    }
    for (const child of childrenOf(node)) walk(child, node)
  }
  walk(tree)
  return [...found].toSorted()
}

/** A type that the browser does not have at all is found where it is made. */
const isThere = (of: string, browsers: Browsers): boolean =>
  (globals.get(of) ?? []).some((compat) => lacking(compat, browsers).length === 0)
