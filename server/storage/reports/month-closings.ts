/** Stores the months that staff have closed, and reads the tax documents of a month. */
import type { DocumentBody, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { ListedDocument, MonthClosing, MovementQuery, MovementSum } from './movement-types.ts'

const addClosing = statement(
  (builder, closing: Omit<MonthClosing, 'figures'> & { readonly figures: string }) =>
    builder.insertInto('month_closings').values({
      event_id: closing.eventId,
      month: closing.month,
      who: closing.who,
      at: closing.at,
      figures: closing.figures,
    }),
)
const closingsOfMonth = statement((builder, { month }: { readonly month: string }) =>
  builder
    .selectFrom('month_closings')
    .select(['event_id as eventId', 'month', 'who', 'at', 'figures'])
    .where('month', '=', month)
    .orderBy('id'),
)
const taxDocumentsBetween = statement(
  (builder, { from, to }: { readonly from: Instant; readonly to: Instant }) =>
    builder
      .selectFrom('documents as d')
      .innerJoin('registrations as r', 'r.id', 'd.registration_id')
      .select(['d.id', 'r.event_id as eventId', 'd.body'])
      .where('d.kind', '<>', 'receipt')
      .where('d.at', '>=', from)
      .where('d.at', '<', to)
      .orderBy('d.account')
      .orderBy('d.id'),
)

const isRequested = (eventIds: readonly string[] | null, eventId: string): boolean =>
  eventIds === null || eventIds.includes(eventId)

export function closeMonth(sql: Sql, closings: readonly MonthClosing[]): void {
  for (const { figures, ...closing } of closings)
    addClosing.run(sql, { ...closing, figures: JSON.stringify(figures) })
}

/** Returns each event's newest closing of the month. */
export async function readMonthClosings(
  sql: Sql,
  month: string,
  eventIds: readonly string[] | null,
): Promise<readonly MonthClosing[]> {
  const rows = await closingsOfMonth.all(sql, { month })
  const newestByEvent = new Map(rows.map((row) => [row.eventId, row]))
  return [...newestByEvent.values()]
    .filter(({ eventId }) => isRequested(eventIds, eventId))
    .map(({ figures, ...closing }) => ({
      ...closing,
      figures: JSON.parse(figures) as readonly MovementSum[],
    }))
}

/** Returns the documents in the order in which each supplier issued them. */
export async function readTaxDocuments(
  sql: Sql,
  { eventIds, from, to }: Pick<MovementQuery, 'eventIds' | 'from' | 'to'>,
): Promise<readonly ListedDocument[]> {
  const rows = await taxDocumentsBetween.all(sql, { from, to })
  return rows
    .filter(({ eventId }) => isRequested(eventIds, eventId))
    .map(({ body, ...document }) => ({ ...document, body: JSON.parse(body) as DocumentBody }))
}
