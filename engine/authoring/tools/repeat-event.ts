/**
 * Creates next year's event file from this year's file by changing dates, names and addresses in the text. Comments and
 * layout stay unchanged. Lists the changes and the lines to check.
 */
import { findDays } from '../prose/find-days.ts'
import { listEndpoints, listPages } from '../event-clashes.ts'
import type { EventFile } from '../schema/event-file-types.ts'
import { formatList } from '../suggestions/nearest-name.ts'
import { readEventFile, renameKeys } from '../schema/renamed-keys.ts'
import type { Source } from '../syntax/source.ts'
import type { EventConfig } from '../../event/config.ts'
import { addDays, formatDays, type Day } from '../../lib/time.ts'
import { getAccountPrefix, listGatewayAccounts } from '../../payments/card-accounts.ts'
import { getGatewayKind } from '../../payments/gateways/capabilities.ts'
import {
  describeAgeDays,
  explainUnchangedDateOfBirth,
  shiftDateOfBirth,
  moveDatesOfBirth,
} from './repeat-birthdays.ts'
import { listAllPeriods, findPeriodRenamings, type Renaming } from './repeat-periods.ts'
import { shiftDays } from './shift-days.ts'

export type RepeatOptions = {
  /** The id of the new event. */
  readonly id: string
  /** The prefix of its registration numbers. */
  readonly prefix: string
  readonly weeks: number
  /** The other events in the folder, whose URLs cannot be used. */
  readonly otherEvents: readonly EventConfig[]
}
export type RepeatedEvent = {
  readonly text: string
  /** The changes, one per line. */
  readonly changes: readonly string[]
  /** The points that the organiser must check, one per line. */
  readonly checks: readonly string[]
}

type Edit = { readonly start: number; readonly end: number; readonly text: string }

const DAYS_PER_WEEK = 7
const WEEKS_PER_YEAR = 52.18
/** Returns the file of the next event. `oldEvent` is the compiled event of `oldText`. */
export function repeatEvent(
  oldText: string,
  oldEvent: EventConfig,
  options: RepeatOptions,
): RepeatedEvent {
  const { id, prefix, weeks } = options
  const text = renameKeys(oldText)
  const { source } = readEventFile({ path: '', text })
  const shiftDay = (day: Day): Day => addDays(day, weeks * DAYS_PER_WEEK)
  const years = Math.round(weeks / WEEKS_PER_YEAR)
  const addresses = renameAddresses(oldEvent, options)
  const periods = findPeriodRenamings(oldEvent, shiftDay)
  const key =
    oldEvent.admin.dashboard.key === oldEvent.id
      ? id
      : makeUniqueName(id, collectKeys(options.otherEvents))
  const account = oldEvent.payment === null ? null : { from: oldEvent.payment.account, to: id }
  const [renamedAccount, ...otherAccounts] = listGatewayAccounts(oldEvent)

  const marker = createMarker()
  const editedText = applyEdits(text, [
    ...createEdits(source, oldEvent, { prefix, key, account }),
    ...protectConsentVersions(source, oldEvent, marker.mark),
    ...moveDatesOfBirth(source, (birthday) =>
      marker.mark(shiftDateOfBirth(birthday, oldEvent.from, shiftDay)),
    ),
  ])
  const replacedText = [
    ...addresses.map(({ from, to }) => [buildAddressPattern(from), to] as const),
    ...periods.map(({ from, to }) => [buildWordPattern(from), to] as const),
    [buildWordPattern(oldEvent.id), id] as const,
  ].reduce((done, [pattern, to]) => done.replace(pattern, () => marker.mark(to)), editedText)
  const titledText = replaceTitle(replacedText, oldEvent.title, years, marker.mark)
  const shiftResult = shiftDays(titledText, { weeks, eventStart: oldEvent.from })
  const newText = replaceDemo(marker.restore(shiftResult.text), oldEvent, listAccountPaths(source))

  const dates = formatDays(shiftDay(oldEvent.from), shiftDay(oldEvent.to))
  return {
    text: newText,
    changes: [
      `The event id is ${id}. Registration numbers begin with ${prefix}.`,
      `${shiftResult.shiftedCount} dates are ${weeks} weeks later, on the same weekdays: ${formatDays(oldEvent.from, oldEvent.to)} is now ${dates}.`,
      ...(shiftTitle(oldEvent.title, years) === oldEvent.title
        ? []
        : [`${oldEvent.title} is now ${shiftTitle(oldEvent.title, years)} throughout the file.`]),
      ...periods.map(({ from, to }) => `Period ${from} is now ${to}, to match its new dates.`),
      ...addresses.map(({ from, to }) => `${from} is now ${to}.`),
      ...(account === null
        ? []
        : [
            `${otherAccounts.length === 0 ? 'Payments go to account' : `Account ${account.from} (${renamedAccount?.gateway.name}) is now`} ${account.to}, whose credentials are ${getVariablePrefix(oldEvent, account.to)}….`,
          ]),
      ...(oldEvent.fees.prices === null
        ? []
        : [
            `All prices are unchanged; ${formatList(listPrices(oldEvent), 3)} ${listPrices(oldEvent).length === 1 ? 'is' : 'are'} listed under demo: until you have checked each.`,
          ]),
    ],
    checks: [
      ...(oldEvent.title === shiftTitle(oldEvent.title, years)
        ? [`The title, ${oldEvent.title}, contains no year and is unchanged.`]
        : []),
      ...(oldEvent.theme === undefined ? [] : [`The motto is unchanged: ${oldEvent.theme}.`]),
      ...(oldEvent.status === 'closed'
        ? ['The event is closed, like the old one: write status: open when registration begins.']
        : []),
      ...(oldEvent.registration.closes === undefined
        ? [
            'Registration never closes, as for the old event. Remove `closes: never` and its entry under `allow` to close it after the last day.',
          ]
        : []),
      ...(account === null
        ? []
        : [`If payments go to the same account as before, write account: ${account.from} again.`]),
      ...otherAccounts.map(
        ({ gateway, account: name }) =>
          `Account ${name} (${gateway.name}) is unchanged: write another account if it has changed.`,
      ),
      ...(oldEvent.api.gatewayReturn === null
        ? []
        : ['If the gateway settings contain the old return URL, enter the new one there.']),
      ...oldEvent.fields.flatMap(({ id: consent, version }) =>
        version === undefined
          ? []
          : [
              `The text of ${consent} is still version ${version}: write a new version if the text has changed.`,
            ],
      ),
      ...[...new Set(shiftResult.unchangedTexts)].map(
        (day) =>
          explainUnchangedDateOfBirth(day, oldEvent, shiftDay) ??
          `“${day}” looks like a date and is unchanged.`,
      ),
      ...describeAgeDays(source, shiftDay),
      ...listRemainingYears(newText, oldEvent),
    ],
  }
}

/**
 * Returns the edits to values at known paths: prefix, account, dashboard key, order ids of examples.
 */
function createEdits(
  source: Source,
  oldEvent: EventConfig,
  newValues: { readonly prefix: string; readonly key: string; readonly account: Renaming | null },
): readonly Edit[] {
  const replaceAt = (path: string, from: string, to: string): readonly Edit[] => {
    if (!source.has(path)) return []
    const { start, end } = source.place(path)
    const writtenText = source.text.slice(start.offset, end.offset)
    const offset = writtenText.indexOf(from)
    const startOffset = start.offset + offset
    return offset < 0 ? [] : [{ start: startOffset, end: startOffset + from.length, text: to }]
  }
  const orderEdits = oldEvent.examples.flatMap((example, n) =>
    'orderId' in example && example.orderId.startsWith(oldEvent.orderId.prefix)
      ? replaceAt(`examples.cases.${n}.order_id`, oldEvent.orderId.prefix, newValues.prefix)
      : [],
  )
  const paymentEdits =
    newValues.account === null
      ? []
      : [
          ...[...listAccountPaths(source), 'examples.promises.account'].flatMap((path) =>
            replaceAt(path, newValues.account?.from ?? '', newValues.account?.to ?? ''),
          ),
          ...[
            ...source.text.matchAll(
              new RegExp(`\\b${getVariablePrefix(oldEvent, newValues.account.from)}`, 'g'),
            ),
          ].map(({ index, 0: { length } }) => ({
            start: index,
            end: index + length,
            text: getVariablePrefix(oldEvent, newValues.account?.to ?? ''),
          })),
        ]
  return [
    ...replaceAt('order_id.prefix', oldEvent.orderId.prefix, newValues.prefix),
    ...replaceAt('examples.promises.order_id.0', oldEvent.orderId.prefix, newValues.prefix),
    ...replaceAt('admin.dashboard.key', oldEvent.admin.dashboard.key, newValues.key),
    ...replaceAt('examples.promises.dashboard.0', oldEvent.admin.dashboard.key, newValues.key),
    ...orderEdits,
    ...paymentEdits,
  ]
}

/** Returns the paths of the account; if there are several methods, those of all card methods with the first account. */
function listAccountPaths(source: Source): readonly string[] {
  const { payment } = source.value as EventFile
  const methods = typeof payment === 'object' ? (payment.methods ?? []) : []
  const firstCard = methods.find(({ account }) => account !== undefined)
  if (firstCard === undefined) return ['payment.account']
  return methods.flatMap(({ gateway, account }, index) =>
    gateway === firstCard.gateway && account === firstCard.account
      ? [`payment.methods.${index}.account`]
      : [],
  )
}

/** Protects the versions of consent texts from being shifted, because they are not days of the event. */
function protectConsentVersions(
  source: Source,
  oldEvent: EventConfig,
  mark: (text: string) => string,
): readonly Edit[] {
  const protect = (path: string): readonly Edit[] => {
    if (!source.has(path)) return []
    const { start, end } = source.place(path)
    const writtenText = source.text.slice(start.offset, end.offset)
    return [{ start: start.offset, end: end.offset, text: mark(writtenText) }]
  }
  const { form } = source.value as EventFile
  return [
    ...form.sections.flatMap(({ fields }, s) =>
      fields.flatMap((_, f) => protect(`form.sections.${s}.fields.${f}.version`)),
    ),
    ...oldEvent.fields.flatMap(({ id }) => protect(`examples.promises.consents.${id}`)),
  ]
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, text: to }) => done.slice(0, start) + to + done.slice(end), text)
}

/**
 * Returns the new name of every address in the file. The new id replaces the old one, or is inserted if the address
 * does not contain the old one.
 */
function renameAddresses(
  oldEvent: EventConfig,
  { id, otherEvents }: RepeatOptions,
): readonly Renaming[] {
  const usedAddresses = new Set([...otherEvents, oldEvent].flatMap(listAddresses))
  const oldIdPattern = buildWordPattern(oldEvent.id)
  const addresses = [...new Set(listAddresses(oldEvent))].toSorted(
    // Addresses with the old id have a fixed new name. Other addresses must differ from it.
    (a, b) => Number(oldIdPattern.test(b)) - Number(oldIdPattern.test(a)) || b.length - a.length,
  )
  return addresses
    .map((from) => {
      const to = renameAddress(from, oldEvent.id, id, usedAddresses)
      usedAddresses.add(to)
      return { from, to }
    })
    .toSorted((a, b) => b.from.length - a.from.length)
}

function renameAddress(
  from: string,
  oldId: string,
  id: string,
  usedAddresses: ReadonlySet<string>,
): string {
  const stem = oldId.replace(/\d+$/, '')
  const renameId = (name: string): string => {
    if (buildWordPattern(oldId).test(from)) return from.replace(buildWordPattern(oldId), name)
    const segment = new RegExp(`(?<=[/=])${stem}(?=[/&]|$)`)
    if (segment.test(from)) return from.replace(segment, name)
    return from.replace(/^(\/(?:api|admin)(?=\/))?/, `$1/${name}`)
  }
  for (let n = 1; ; n += 1) {
    const to = renameId(n === 1 ? id : `${id}-${n}`)
    if (!usedAddresses.has(to)) return to
  }
}

/** Returns the pages and endpoints of an event as written in its file, or their defaults. */
function listAddresses(event: EventConfig): readonly string[] {
  return [...listPages(event), ...listEndpoints(event)].map(({ name }) => name)
}

const collectKeys = (events: readonly EventConfig[]): ReadonlySet<string> =>
  new Set(events.map(({ admin }) => admin.dashboard.key))
function makeUniqueName(name: string, usedNames: ReadonlySet<string>): string {
  return usedNames.has(name) ? makeUniqueName(`${name}b`, usedNames) : name
}

/** Builds a pattern that matches a name as a whole word, not as part of a longer name. */
function buildWordPattern(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9-])${escapePattern(name)}(?![A-Za-z0-9-])`, 'g')
}
function buildAddressPattern(address: string): RegExp {
  return new RegExp(`(?<![\\w/=?&}.-])${escapePattern(address)}(?![\\w/=?&{-])`, 'g')
}
const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const YEAR_IN_TITLE = /(?<!\d)(?:19|20)\d\d(?!\d)/

function shiftTitle(title: string, years: number): string {
  return title.replace(YEAR_IN_TITLE, (year) => String(Number(year) + years))
}

/** Updates the title's year wherever the title occurs, including forms such as surgeons_2026 in a file name. */
function replaceTitle(
  text: string,
  title: string,
  years: number,
  mark: (text: string) => string,
): string {
  const year = YEAR_IN_TITLE.exec(title)?.[0]
  const stem = title.replace(YEAR_IN_TITLE, '').trim()
  if (year === undefined || stem === '') return text
  const titlePattern = stem.split(/\s+/).map(escapePattern).join('[\\s_-]*')
  return text.replace(
    new RegExp(`(${titlePattern}[\\s_’'-]*)${year}(?!\\d)`, 'gi'),
    (_whole, before: string) => before + mark(String(Number(year) + years)),
  )
}

/** Hides new names from the search for days and years until all other changes are done. */
function createMarker(): { mark: (text: string) => string; restore: (text: string) => string } {
  const hiddenTexts: string[] = []
  return {
    mark: (text) => `\uE000${String.fromCodePoint(0xe100 + hiddenTexts.push(text) - 1)}\uE001`,
    restore: (text) =>
      text.replace(
        /\uE000(.)\uE001/gu,
        (_whole, character: string) => hiddenTexts[(character.codePointAt(0) ?? 0) - 0xe100] ?? '',
      ),
  }
}

/** Returns the paths under which the file states prices. */
function listPrices({ fees }: EventConfig): readonly string[] {
  return [
    ...(fees.prices === null ? [] : ['fees.prices']),
    ...(fees.groups === undefined ? [] : ['fees.price_groups']),
    ...(fees.items.length === 0 ? [] : ['fees.items']),
    ...(fees.adjustments.length === 0 ? [] : ['fees.adjustments']),
  ]
}

/** Adds the prices and the account to the list under `demo:`, and a comment above the prices. */
function replaceDemo(text: string, oldEvent: EventConfig, accountPaths: readonly string[]): string {
  const placeholderPaths = [
    ...listPrices(oldEvent),
    ...(oldEvent.payment === null ? [] : accountPaths),
  ].filter(
    (path) =>
      !oldEvent.demo.some((demoPath) => path === demoPath || path.startsWith(`${demoPath}.`)),
  )
  const explainPath = (path: string) =>
    accountPaths.includes(path) ? 'renamed: check it' : 'unchanged'
  const lines = placeholderPaths.map((path) => `  - ${path}`.padEnd(34) + `# ${explainPath(path)}`)
  const markedText =
    oldEvent.fees.prices === null
      ? text
      : text.replace(
          /^( +)prices:(?=[ \t]*(?:#.*)?\n)/m,
          (_whole, indent: string) =>
            `${indent}# Prices of ${oldEvent.title}, unchanged: check each, then remove fees.prices from demo.\n${indent}prices:`,
        )
  if (lines.length === 0) return markedText
  const list = /^demo:[^\n]*\n(?:(?: +-| *#)[^\n]*\n)+/m.exec(markedText)
  if (list === null)
    return oldEvent.demo.length === 0
      ? markedText.replace(
          /^format: 1[^\n]*\n/m,
          (match) => `${match}\ndemo:\n${lines.join('\n')}\n`,
        )
      : markedText
  const end = list.index + list[0].length
  return `${markedText.slice(0, end)}${lines.join('\n')}\n${markedText.slice(end)}`
}

/** Matches a year that is neither a price in a row nor an expected amount of an example. */
const YEAR_NOT_AMOUNT =
  /(?<![\d[₹.,/]|(?:base|gst|total|min|max): *|(?:\d|free|none), *)(?:19|20)\d\d(?!\d|[.,]\d|\])/g

/** Returns lines that still contain a year of the old event, except for shifted days. */
function listRemainingYears(text: string, oldEvent: EventConfig): readonly string[] {
  const days = [oldEvent, ...listAllPeriods(oldEvent)].flatMap(({ from, to }) => [from, to])
  const years = new Set([
    ...days.flatMap((day) => (day === undefined ? [] : [day.slice(0, 4)])),
    YEAR_IN_TITLE.exec(oldEvent.title)?.[0] ?? '',
  ])
  return text.split('\n').flatMap((line, i) => {
    const yearMatch = [...line.matchAll(YEAR_NOT_AMOUNT)].find(
      ({ 0: year, index }) =>
        years.has(year) &&
        !findDays(line, Number(year)).some(({ start, end }) => start <= index && index < end),
    )
    return yearMatch === undefined || line.includes('unchanged: check each')
      ? []
      : [`Line ${i + 1} contains ${yearMatch[0]}: ${line.trim()}`]
  })
}

/** Returns the prefix of the environment variables for an account of the event's gateway. */
const getVariablePrefix = ({ payment }: EventConfig, account: string): string =>
  payment === null ? '' : getAccountPrefix(getGatewayKind(payment.gateway), account)
