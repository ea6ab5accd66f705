/**
 * Computes the dashboard figures of one event, and which parts of its file are in use.
 * Runs on the reader thread.
 */
import { sql as raw } from 'kysely'
import { paise, RUPEE_CODES } from '../../../engine/index.ts'
import type { Day, Paise, PaymentStatus } from '../../../engine/index.ts'
import { byDay, countByCategory, countByStatus } from './registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { refundableAmount } from '../refunds/refund-states-and-channels.ts'
import { registrationsByIds } from '../registrations/row-mapping.ts'
import type { EventFigures, Store } from '../index.ts'

/** The number of newest registrations on the dashboard. */
const RECENT_ROWS = 5
/** A field with more different answers than this is free text, not a choice. */
const OPTIONS_MAX = 500
/** A field with a longer answer is free text too: option ids are short. */
const OPTION_CHARACTERS_MAX = 100

const newestRegistrations = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('event_id', '=', eventId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(RECENT_ROWS),
)
/** In rupees; payments in the gateway's test mode are not real. */
const dismissedAmount = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('decisions as d')
    .innerJoin('captures as c', (join) =>
      join
        .onRef('c.id', '=', 'd.capture_id')
        .on(({ eb, ref }) => eb('d.about', '=', raw<string>`'C' || ${ref('c.id')}`)),
    )
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ fn }) => fn.sum<number | null>(refundableAmount).as('amount'))
    .where('d.what', '=', 'dismiss')
    .where('c.state', '=', 'refused')
    .where('c.kind', '<>', 'test')
    .where(({ eb, fn }) => eb(fn.coalesce('r.event_id', 'c.found_for'), '=', eventId))
    .where('c.currency', 'in', ['', ...RUPEE_CODES]),
)
type AnswerPart = { key: string; value: string; type: string }
const answersInUse = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom(['registrations as r', raw<AnswerPart>`json_each(${raw.ref('r.answers')})`.as('a')])
    .select(({ cast, fn }) => [
      'a.key as field',
      cast<string>('a.value', 'text').as('value'),
      'a.type',
      fn.countAll<number>().as('n'),
    ])
    .where('r.event_id', '=', eventId)
    .groupBy(['a.key', 'a.type', 'a.value']),
)
const itemsInUse = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('bill_lines as l', (join) =>
      join.onRef('l.registration_id', '=', 'r.id').onRef('l.bill', '=', 'r.bill'),
    )
    .select(({ fn }) => ['l.item as name', fn.count<number>('r.id').distinct().as('n')])
    .where('r.event_id', '=', eventId)
    .groupBy('l.item'),
)
const quotasInUse = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('places')
    .select(['place as name', 'taken as n'])
    .where('event_id', '=', eventId)
    .where('taken', '>', 0),
)
const codesInUse = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('codes as c')
    .innerJoin('code_uses as u', 'u.code_id', 'c.id')
    .select(({ fn }) => ['c.kind as name', fn.countAll<number>().as('n')])
    .where('c.event_id', '=', eventId)
    .groupBy('c.kind'),
)

export async function dashboardFigures(sql: Sql, eventId: string, day: Day): Promise<EventFigures> {
  const statuses = await countByStatus(sql, eventId, day)
  const getCount = (status: PaymentStatus): number =>
    statuses.reduce((sum, row) => (row.status === status ? sum + row.n - row.ended : sum), 0)
  const days = await byDay(sql, eventId)
  const recent = await newestRegistrations.all(sql, { eventId })
  const dismissedRow = await dismissedAmount.get(sql, { eventId })
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    paid: getCount('success'),
    pending: getCount('pending'),
    failed: getCount('failed'),
    refunded: getCount('refunded'),
    ended: statuses.reduce((sum, { ended }) => sum + ended, 0),
    today: statuses.reduce((sum, { onDay }) => sum + onDay, 0),
    revenue: days.reduce((sum, { revenue }) => sum + revenue, 0) as Paise,
    dismissed: paise(dismissedRow?.amount ?? 0),
    byDay: days,
    recent: await registrationsByIds(
      sql,
      recent.map(({ id }) => id),
    ),
  }
}

export async function valuesInUse(
  sql: Sql,
  eventId: string,
): Promise<Awaited<ReturnType<Store['valuesInUse']>>> {
  const counted = await countByCategory(sql, eventId)
  const answers = await answersInUse.all(sql, { eventId })
  const byField = Map.groupBy(answers, ({ field }) => field)
  const choice = (rows: typeof answers): boolean =>
    rows.length <= OPTIONS_MAX && rows.every(({ value }) => value.length <= OPTION_CHARACTERS_MAX)
  return {
    registrations: counted.reduce((sum, { registrations }) => sum + registrations, 0),
    pending: counted.reduce((sum, { pending }) => sum + pending, 0),
    fields: Object.fromEntries(
      [...byField].map(([field, rows]) => [field, rows.reduce((sum, { n }) => sum + n, 0)]),
    ),
    options: Object.fromEntries(
      [...byField]
        .filter(([, rows]) => choice(rows))
        .map(([field, rows]) => [
          field,
          Object.fromEntries(
            [...Map.groupBy(rows.flatMap(listChosenOptions), ([option]) => option)].map(
              ([option, all]) => [option, all.reduce((sum, [, n]) => sum + n, 0)],
            ),
          ),
        ]),
    ),
    categories: Object.fromEntries(
      counted
        .filter(({ category, registrations }) => category !== '' && registrations !== 0)
        .map(({ category, registrations }) => [category, registrations]),
    ),
    items: countByName(await itemsInUse.all(sql, { eventId })),
    places: countByName(await quotasInUse.all(sql, { eventId })),
    codes: countByName(await codesInUse.all(sql, { eventId })),
  }
}

const countByName = (
  rows: readonly { readonly name: string; readonly n: number }[],
): Readonly<Record<string, number>> => Object.fromEntries(rows.map(({ name, n }) => [name, n]))

/** The options of an answer: itself, or each item of a list. Persons are not options. */
function listChosenOptions(row: {
  readonly value: string
  readonly type: string
  readonly n: number
}): readonly (readonly [string, number])[] {
  if (row.type !== 'array')
    return [[row.type === 'true' || row.type === 'false' ? row.type : row.value, row.n]]
  const list = JSON.parse(row.value) as readonly unknown[]
  return list.flatMap((choice) => (typeof choice === 'string' ? [[choice, row.n] as const] : []))
}
