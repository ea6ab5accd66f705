/**
 * `_shared/site.yaml` → the landing page's words, or findings. The shape here is that of
 * `schemas/site.schema.json`, which editors complete from; a test holds the two together.
 */
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { Site, SiteLink, Social } from '../site.ts'
import { UNKNOWN_PAYMENT } from './defaults.ts'

type KeyPath = readonly (string | number)[]
type Problem = (keyPath: KeyPath, code: string, slug: string, message: string) => void
/** Reads one value. What does not fit is reported and stood in for, so that everything is reported at once. */
type Read<T> = (value: unknown, keyPath: KeyPath, problem: Problem) => T

const SOCIALS = [
  'facebook',
  'x',
  'linkedin',
  'instagram',
  'youtube',
] as const satisfies readonly Social[]
/** An anchor of the page or a path of the site; other sites are never linked from here. */
const GO = /^(#[a-z][a-z0-9-]*|\/[A-Za-z0-9/_-]*)$/
/** Anchors the landing page has. */
const ANCHORS = ['#features', '#how-it-works', '#pricing', '#about', '#conferences']

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const named = (keyPath: KeyPath): string =>
  keyPath.length === 0 ? 'the file' : `\`${keyPath.join('.')}\``

const text: Read<string> = (value, keyPath, problem) => {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  problem(
    keyPath,
    'EV103',
    'wrong-kind',
    `${named(keyPath)} must be a text${typeof value === 'number' ? ': put it in quotes' : ''}`,
  )
  return ''
}

const number =
  (min: number, max: number): Read<number> =>
  (value, keyPath, problem) => {
    if (typeof value === 'number' && value >= min && value <= max) return value
    problem(
      keyPath,
      'EV103',
      'wrong-kind',
      `${named(keyPath)} must be a number from ${min} to ${max}`,
    )
    return min
  }

const oneOf =
  <T extends string>(known: readonly T[], otherwise: T): Read<T> =>
  (value, keyPath, problem) => {
    const found = known.find((one) => one === value)
    if (found === undefined)
      problem(
        keyPath,
        'EV104',
        'not-one-of',
        `\`${String(value)}\` is not possible for ${named(keyPath)} (write ${known.join(', ')})`,
      )
    return found ?? otherwise
  }

const go: Read<string> = (value, keyPath, problem) => {
  const target = text(value, keyPath, problem)
  if (target === '') return target
  if (!GO.test(target))
    problem(
      keyPath,
      'EV105',
      'bad-form',
      `\`${target}\` is not a place on this site: write an anchor such as "#features" or a path such as /admin/login`,
    )
  else if (target.startsWith('#') && !ANCHORS.includes(target))
    problem(
      keyPath,
      'EV104',
      'not-one-of',
      `The landing page has no ${target} (it has ${ANCHORS.join(', ')})`,
    )
  return target
}

const list =
  <T>(of: Read<T>): Read<readonly T[]> =>
  (value, keyPath, problem) => {
    if (Array.isArray(value) && value.length > 0)
      return value.map((item: unknown, at) => of(item, [...keyPath, at], problem))
    problem(
      keyPath,
      'EV103',
      'wrong-kind',
      `${named(keyPath)} must be a list with at least one entry`,
    )
    return []
  }

/** A key that may be missing. */
const maybe = <T>(read: Read<T>): Read<T | null> =>
  Object.assign(
    (value: unknown, keyPath: KeyPath, problem: Problem) =>
      value === undefined ? null : read(value, keyPath, problem),
    { maybe: true },
  )

type Shape = Readonly<Record<string, Read<unknown>>>
type Made<S extends Shape> = { readonly [K in keyof S]: ReturnType<S[K]> }

const map =
  <S extends Shape>(shape: S): Read<Made<S>> =>
  (value, keyPath, problem) => {
    if (!isMap(value))
      problem(keyPath, 'EV103', 'wrong-kind', `${named(keyPath)} must be a block of keys`)
    const given = isMap(value) ? value : {}
    for (const key of Object.keys(given))
      if (!Object.hasOwn(shape, key))
        problem(
          [...keyPath, key],
          'EV101',
          'unknown-key',
          `\`${key}\` is not a key here (the keys are ${Object.keys(shape).join(', ')})`,
        )
    const made = Object.entries(shape).map(([key, read]) => {
      if (isMap(value) && !Object.hasOwn(given, key) && !('maybe' in read)) {
        problem(keyPath, 'EV102', 'missing-key', `\`${key}\` is missing in ${named(keyPath)}`)
        return [key, read(undefined, [...keyPath, key], () => {})]
      }
      return [
        key,
        read(
          Object.hasOwn(given, key) ? given[key] : undefined,
          [...keyPath, key],
          isMap(value) ? problem : () => {},
        ),
      ]
    })
    return Object.fromEntries(made) as Made<S>
  }

const link: Read<SiteLink> = map({ label: text, go })
const titled = map({ title: text, text })

const wholeFile = map({
  format: number(1, 1),
  page: map({ name: text, title: text, about: text }),
  header: map({ links: list(link), sign_in: link, create_event: link }),
  hero: map({
    title: text,
    text,
    button: link,
    link,
    picture: maybe(
      map({
        title: text,
        day: text,
        next: text,
        rows: list(map({ name: text, about: text, amount: number(0, 10_000_000) })),
      }),
    ),
  }),
  conferences: map({ title: text, register: text, closed: text, none: text }),
  messages: maybe(map({ unknown_payment: text })),
  claims: map({ title: text, items: list(map({ figure: text, label: text })) }),
  features: map({ title: text, items: list(titled) }),
  steps: map({ title: text, items: list(titled) }),
  testimonials: map({
    title: text,
    items: list(map({ stars: number(1, 5), quote: text, name: text, role: text })),
  }),
  trial: map({ title: text, text, button: link }),
  footer: map({
    groups: list(map({ title: text, links: list(map({ label: text, go: maybe(go) })) })),
    social: list(oneOf(SOCIALS, 'x')),
    placeholder: text,
  }),
  organisers: map({
    title: text,
    text,
    example: text,
    file: text,
    becomes: text,
    prices: text,
    form: text,
    examples: text,
    steps: list(text),
  }),
})

type SiteFinding = {
  readonly code: string
  readonly slug: string
  readonly severity: 'error'
  readonly message: string
  readonly at: {
    readonly path: string
    readonly start: Place
    readonly end: Place
    readonly keyPath: string
  }
  readonly related: readonly never[]
  readonly notes: readonly never[]
}
type Place = { readonly line: number; readonly column: number; readonly offset: number }

/** The words of the landing page; null with at least one finding. Never throws, whatever the text. */
export function compileSite(
  source: string,
  file: { readonly path: string } = { path: 'events/_shared/site.yaml' },
): { readonly site: Site | null; readonly findings: readonly SiteFinding[] } {
  const findings: SiteFinding[] = []
  const lines = new LineCounter()
  const document = parseDocument(source, {
    lineCounter: lines,
    strict: true,
    uniqueKeys: true,
    version: '1.2',
    schema: 'core',
    logLevel: 'silent',
  })
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, offset }
  }
  const report = (
    start: number,
    end: number,
    keyPath: KeyPath,
    code: string,
    slug: string,
    message: string,
  ): void => {
    findings.push({
      code,
      slug,
      severity: 'error',
      message,
      at: { path: file.path, start: place(start), end: place(end), keyPath: keyPath.join('.') },
      related: [],
      notes: [],
    })
  }
  for (const { pos, message } of document.errors)
    report(pos[0], pos[1], [], 'EV001', 'yaml-syntax', message.split('\n')[0] ?? message)
  if (findings.length > 0) return { site: null, findings }

  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 0 })
  } catch {
    report(
      0,
      0,
      [],
      'EV003',
      'no-anchors-or-tags',
      'anchors and aliases (& and *) are not part of this format',
    )
    return { site: null, findings }
  }
  const made = wholeFile(value, [], (keyPath, code, slug, message) => {
    const node: unknown = keyPath.length === 0 ? document.contents : document.getIn(keyPath, true)
    const [start, end] = isNode(node) && node.range ? [node.range[0], node.range[1]] : [0, 0]
    report(start, end, keyPath, code, slug, message)
  })
  if (findings.length > 0) return { site: null, findings }
  const { format: _one, header, messages, ...rest } = made
  return {
    site: {
      ...rest,
      messages: { unknownPayment: messages?.unknown_payment ?? UNKNOWN_PAYMENT },
      header: { links: header.links, signIn: header.sign_in, createEvent: header.create_event },
    },
    findings,
  }
}
