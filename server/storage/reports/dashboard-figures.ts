/**
 * Computes the dashboard figures for an event, and finds which values in its event file are in use. Runs on the reader
 * thread.
 */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { getReceivedCurrency, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency, Day, Money, PaymentStatus } from '../../../engine/index.ts'
import type { CountedValues } from '../../../engine/authoring.ts'
import {
  readFiguresByDay,
  countByCategory,
  countByStatus,
  listRevenue,
} from './registration-and-revenue-counters.ts'
import { mapInOrder } from '../database/in-order.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { refundableAmount } from '../refunds/refund-states-and-channels.ts'
import { readRegistrationsByIds } from '../registrations/row-mapping.ts'
import { listTakenSeats } from '../seats/available-seats.ts'
import type { EventFigures, Store } from '../index.ts'

/** The dashboard lists this number of newest registrations. */
const RECENT_ROWS = 10
const NO_VALUES: CountedValues = { fields: [], options: [], items: false }

const newestRegistrations = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('event_id', '=', eventId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(RECENT_ROWS),
)
/** Uses the currency that the gateway reported. Excludes payments in the gateway's test mode. */
const dismissedAmounts = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('decisions as d')
    .innerJoin('captures as c', (join) =>
      join
        .onRef('c.id', '=', 'd.capture_id')
        .on(({ eb, ref }) => eb('d.about', '=', raw<string>`'C' || ${ref('c.id')}`)),
    )
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ fn }) => ['c.currency as code', fn.sum<Amount>(refundableAmount).as('amount')])
    .where('d.what', '=', 'dismiss')
    .where('c.state', '=', 'refused')
    .where('c.kind', '<>', 'test')
    .where(({ eb, fn }) => eb(fn.coalesce('r.event_id', 'c.found_for'), '=', eventId))
    .groupBy('c.currency'),
)
type AnswerPart = { key: string; value: string; type: string }
type FieldParams = { eventId: string; /** The field ids, as a JSON array. */ fields: string }
const selectAnswersOfFields = (builder: Kysely<Tables>, params: FieldParams, dialect: Dialect) =>
  builder
    .selectFrom(['registrations as r', raw<AnswerPart>`json_each(${raw.ref('r.answers')})`.as('a')])
    .where('r.event_id', '=', params.eventId)
    .where(({ ref }) => dialect.isIn(ref('a.key'), params.fields))
const answerCounts = statement((builder, params: FieldParams, dialect) =>
  selectAnswersOfFields(builder, params, dialect)
    .select(({ fn }) => ['a.key as name', fn.countAll<number>().as('n')])
    .groupBy('a.key'),
)
/** Fields with options have few different answers. */
const optionCounts = statement((builder, params: FieldParams, dialect) =>
  selectAnswersOfFields(builder, params, dialect)
    .select(({ cast, fn }) => [
      'a.key as field',
      cast<string>('a.value', 'text').as('value'),
      'a.type',
      fn.countAll<number>().as('n'),
    ])
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
const codesInUse = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('codes as c')
    .innerJoin('code_uses as u', 'u.code_id', 'c.id')
    .select(({ fn }) => ['c.kind as name', fn.countAll<number>().as('n')])
    .where('c.event_id', '=', eventId)
    .groupBy('c.kind'),
)

export async function computeDashboardFigures(
  sql: Sql,
  eventId: string,
  day: Day,
  currency: Currency,
): Promise<EventFigures> {
  const statuses = await countByStatus(sql, eventId, day)
  const getCount = (status: PaymentStatus): number =>
    statuses.reduce((sum, row) => (row.status === status ? sum + row.n - row.ended : sum), 0)
  const days = await readFiguresByDay(sql, eventId, currency)
  const revenue = await listRevenue(sql, eventId)
  const recent = await newestRegistrations.all(sql, { eventId })
  const dismissed = await dismissedAmounts.all(sql, { eventId })
  const sumInCurrency = (amounts: readonly Money[], targetCurrency: Currency): Amount =>
    toAmount(
      amounts.reduce(
        (sum, money) => (money.currency === targetCurrency ? sum + money.amount : sum),
        0,
      ),
    )
  const dismissedMoney = dismissed.map(({ code, amount }) => ({
    amount,
    currency: code === '' ? currency : getReceivedCurrency({ currency: code }),
  }))
  const currencies = [...new Set([...revenue, ...dismissedMoney].map((money) => money.currency))]
  const others = await mapInOrder(
    currencies.filter((other) => other !== currency),
    async (other) => ({
      currency: other,
      revenue: sumInCurrency(revenue, other),
      dismissed: sumInCurrency(dismissedMoney, other),
      byDay: (await readFiguresByDay(sql, eventId, other))
        .filter((entry) => entry.revenue !== 0)
        .map((entry) => ({ day: entry.day, revenue: entry.revenue })),
    }),
  )
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    paid: getCount('success'),
    pending: getCount('pending'),
    failed: getCount('failed'),
    refunded: getCount('refunded'),
    ended: statuses.reduce((sum, { ended }) => sum + ended, 0),
    today: statuses.reduce((sum, { onDay }) => sum + onDay, 0),
    revenue: sumInCurrency(revenue, currency),
    dismissed: sumInCurrency(dismissedMoney, currency),
    others,
    byDay: days,
    recent: await readRegistrationsByIds(
      sql,
      recent.map(({ id }) => id),
    ),
  }
}

export async function findValuesInUse(
  sql: Sql,
  eventId: string,
  values: CountedValues | null,
): Promise<Awaited<ReturnType<Store['valuesInUse']>>> {
  const { fields, options, items } = values ?? NO_VALUES
  const categories = await countByCategory(sql, eventId)
  const buildParams = (ids: readonly string[]): FieldParams => ({
    eventId,
    fields: JSON.stringify(ids),
  })
  const chosenRows = options.length === 0 ? [] : await optionCounts.all(sql, buildParams(options))
  const seats = await listTakenSeats(sql, eventId)
  return {
    registrations: categories.reduce((sum, { registrations }) => sum + registrations, 0),
    pending: categories.reduce((sum, { pending }) => sum + pending, 0),
    fields:
      fields.length === 0 ? {} : countByName(await answerCounts.all(sql, buildParams(fields))),
    options: Object.fromEntries(
      [...Map.groupBy(chosenRows, ({ field }) => field)].map(([field, rows]) => [
        field,
        Object.fromEntries(
          [...Map.groupBy(rows.flatMap(listChosenOptions), ([option]) => option)].map(
            ([option, all]) => [option, all.reduce((sum, [, n]) => sum + n, 0)],
          ),
        ),
      ]),
    ),
    categories: Object.fromEntries(
      categories
        .filter(({ category, registrations }) => category !== '' && registrations !== 0)
        .map(({ category, registrations }) => [category, registrations]),
    ),
    items: items ? countByName(await itemsInUse.all(sql, { eventId })) : {},
    places: countByName(
      seats.filter(({ taken }) => taken > 0).map(({ quotaKey: name, taken: n }) => ({ name, n })),
    ),
    codes: countByName(await codesInUse.all(sql, { eventId })),
  }
}

const countByName = (
  rows: readonly { readonly name: string; readonly n: number }[],
): Readonly<Record<string, number>> => Object.fromEntries(rows.map(({ name, n }) => [name, n]))

/** Returns the options of an answer: the answer itself, or each item of a list. Persons are not options. */
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
