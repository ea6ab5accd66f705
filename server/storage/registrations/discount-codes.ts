/** Creates, lists and withdraws discount codes, and records which registrations use them. */
import { expressionBuilder, sql as raw } from 'kysely'
import { dayOf, err, ok } from '../../../engine/index.ts'
import type { Amount, CodeStatus, Instant, RegNo, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { CodePage, CodeQuery, NewDiscountCodes } from './pricing-context-types.ts'

type HoldParams = { holdMs: number; at: Instant }
const registrationExpression = expressionBuilder<Tables & { r: Tables['registrations'] }, 'r'>()
/**
 * Builds the SQL condition under which a registration `r` counts as a use of its code: it is paid, is under review,
 * awaits approval or payment before a deadline, or the delegate may still be paying. `holdMs`: how long it counts after
 * the delegate was last sent to the gateway. While the bank is processing a payment, it counts until the result is
 * known.
 */
const countsAsUse = ({ holdMs, at }: HoldParams) =>
  registrationExpression.and([
    registrationExpression('r.state', 'not in', ['cancelled', 'refused']),
    registrationExpression.or([
      registrationExpression('r.payment_status', '=', 'success'),
      registrationExpression('r.in_review', '=', 1),
      registrationExpression('r.state', 'in', ['to_approve', 'told']),
      registrationExpression.and([
        registrationExpression('r.state', '=', 'to_pay'),
        registrationExpression('r.pay_until', 'is not', null),
      ]),
      registrationExpression.and([
        registrationExpression('r.payment_status', '=', 'pending'),
        registrationExpression.exists(
          registrationExpression
            .selectFrom('payments as p')
            .select('p.id')
            .whereRef('p.registration_id', '=', 'r.id')
            .where('p.status', '=', 'pending')
            .where(({ eb, or, ref }) =>
              or([
                eb('p.last_answer', '=', 'in-process'),
                raw<boolean>`coalesce(${ref('p.handed_off_at')}, ${ref('p.created_at')}) + ${holdMs} > ${at}`,
              ]),
            ),
        ),
      ]),
    ]),
  ])

type Code = { eventId: string; folded: string }
const codeByText = statement((builder, { eventId, folded }: Code) =>
  builder
    .selectFrom('codes')
    .select(['id', 'code', 'kind', 'uses_max', 'last_day', 'withdrawn_at'])
    .where('event_id', '=', eventId)
    .where('folded', '=', folded),
)
const countUses = statement((builder, params: Code & HoldParams & { except: number | null }) =>
  builder
    .selectFrom('registrations as r')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('r.id', 'in', ({ selectFrom }) =>
      selectFrom('code_uses')
        .select('registration_id')
        .where('code_id', '=', (eb) =>
          eb
            .selectFrom('codes')
            .select('id')
            .where('event_id', '=', params.eventId)
            .where('folded', '=', params.folded),
        ),
    )
    .where(({ ref }) => raw<boolean>`${ref('r.id')} is distinct from ${params.except}`)
    .where(countsAsUse(params)),
)
const saveUse = statement(
  (builder, { registrationId, codeId }: { registrationId: number; codeId: number }) =>
    builder.insertInto('code_uses').values({ registration_id: registrationId, code_id: codeId }),
)
const codeUsedBy = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('codes')
    .select('folded')
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('code_uses').select('code_id').where('registration_id', '=', registrationId),
    ),
)
const codeOfRegNo = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('codes')
    .select('code')
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('code_uses')
        .select('code_id')
        .where('registration_id', '=', (eb) =>
          eb.selectFrom('registrations').select('id').where('reg_no', '=', regNo),
        ),
    ),
)
type NewCode = Omit<NewDiscountCodes, 'codes'> & NewDiscountCodes['codes'][number]
const addCode = statement((builder, code: NewCode) =>
  builder
    .insertInto('codes')
    .values({
      event_id: code.eventId,
      kind: code.kind,
      code: code.code,
      folded: code.folded,
      uses_max: code.usesMax,
      last_day: code.lastDay,
      note: code.note,
      made_at: code.at,
      made_by: code.who,
    })
    .onConflict((conflict) => conflict.columns(['event_id', 'folded']).doNothing()),
)
const markWithdrawn = statement((builder, { id, at }: { id: number; at: Instant }) =>
  builder.updateTable('codes').set({ withdrawn_at: at }).where('id', '=', id),
)
const codePage = statement(
  (
    builder,
    { eventId, before, limit }: { eventId: string; before: number; limit: number },
    dialect,
  ) =>
    builder
      .selectFrom('codes')
      .select([
        'id',
        'code',
        'kind',
        'uses_max as usesMax',
        'last_day as lastDay',
        'note',
        'made_at as madeAt',
        'made_by as madeBy',
        'withdrawn_at as withdrawnAt',
      ])
      .where('event_id', '=', eventId)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
)
const isPaid = registrationExpression('r.payment_status', '=', raw.lit('success'))
/**
 * Selects one row for each code and currency. `ids`: a JSON array. `adjustments`: a JSON array of "kind item", because
 * a code's discount is the adjustment for its kind. A bill may contain several lines for one adjustment.
 */
const usesOfCodes = statement(
  (builder, query: { ids: string; adjustments: string } & HoldParams, dialect) =>
    builder
      .selectFrom('code_uses as u')
      .innerJoin('codes as c', 'c.id', 'u.code_id')
      .innerJoin('registrations as r', 'r.id', 'u.registration_id')
      .leftJoin('bill_lines as l', (join) =>
        join
          .onRef('l.registration_id', '=', 'r.id')
          .onRef('r.bill', '=', 'l.bill')
          .on(({ ref }) =>
            dialect.isIn(
              raw<string>`${ref('c.kind')} || ' ' || ${ref('l.item')}`,
              query.adjustments,
            ),
          ),
      )
      .where(({ ref }) => dialect.isIdIn(ref('u.code_id'), query.ids))
      .where(countsAsUse(query))
      .select(({ fn, ref, case: choose }) => {
        const discount = raw<Amount>`-coalesce(${ref('l.total')}, 0)`
        return [
          'u.code_id as codeId',
          'r.currency',
          fn.count<number>('r.id').distinct().as('uses'),
          fn
            .count<number>(choose().when(isPaid).then(ref('r.id')).else(null).end())
            .distinct()
            .as('paid'),
          fn.sum<Amount>(discount).as('discount'),
          fn
            .sum<Amount>(
              choose()
                .when(isPaid)
                .then(discount)
                .else(raw.lit(0 as Amount))
                .end(),
            )
            .as('paidDiscount'),
        ]
      })
      .groupBy(['u.code_id', 'r.currency']),
)

/**
 * Returns the id and status of a code at this time. The id is null if the code is unknown. `exceptId`: a registration
 * whose own use is not counted.
 */
export async function findCodeAt(
  sql: Sql,
  eventId: string,
  normalisedCode: string,
  holdMs: number,
  at: Instant,
  exceptId: number | null = null,
): Promise<{ readonly id: number | null; readonly status: CodeStatus }> {
  const [row, uses] = await Promise.all([
    codeByText.get(sql, { eventId, folded: normalisedCode }),
    countUses.get(sql, { eventId, folded: normalisedCode, except: exceptId, holdMs, at }),
  ])
  if (row === undefined) return { id: null, status: { is: 'unknown' } }
  const { id, kind } = row
  if (row.withdrawn_at !== null) return { id, status: { is: 'withdrawn' } }
  if (row.last_day !== null && row.last_day < dayOf(at)) return { id, status: { is: 'over' } }
  return (uses?.n ?? 0) >= row.uses_max
    ? { id, status: { is: 'spent' } }
    : { id, status: { is: 'valid', kind } }
}

export function recordCodeUse(sql: Sql, registrationId: number, codeId: number): void {
  saveUse.run(sql, { registrationId, codeId })
}

/** Returns the code that a registration used. Null if it used no code. */
export async function findUsedCode(sql: Sql, registrationId: number): Promise<string | null> {
  return (await codeUsedBy.get(sql, { registrationId }))?.folded ?? null
}

/** Returns the code that a registration used, as it was issued. Null if it used no code. */
export async function findIssuedCode(sql: Sql, regNo: RegNo): Promise<string | null> {
  return (await codeOfRegNo.get(sql, { regNo }))?.code ?? null
}

export async function createDiscountCodes(
  sql: Sql,
  { codes, ...common }: NewDiscountCodes,
): Promise<Result<number, { readonly code: 'code_taken' }>> {
  for (const { code, folded } of codes) {
    const insertResult = addCode.run(sql, { ...common, code, folded })
    if ((await insertResult.changes) === 0) throw new RollbackError(err({ code: 'code_taken' }))
  }
  const { at, who: user, kind, eventId } = common
  addAuditEntry(sql, {
    at,
    who: user,
    what: `created ${codes.length} ${codes.length === 1 ? 'discount code' : 'discount codes'}: ${kind}`,
    eventId,
    regNo: null,
  })
  return ok(codes.length)
}

export async function withdrawDiscountCode(
  sql: Sql,
  eventId: string,
  normalisedCode: string,
  user: string,
  at: Instant,
): Promise<'withdrawn' | 'unknown' | 'already_withdrawn'> {
  const row = await codeByText.get(sql, { eventId, folded: normalisedCode })
  if (row === undefined) return 'unknown'
  if (row.withdrawn_at !== null) return 'already_withdrawn'
  markWithdrawn.run(sql, { id: row.id, at })
  addAuditEntry(sql, { at, who: user, what: `withdrew the code ${row.code}`, eventId, regNo: null })
  return 'withdrawn'
}

/** Returns the codes, newest first. */
export async function listDiscountCodes(
  sql: Sql,
  { eventId, holdMs, at, adjustments, before, limit }: CodeQuery,
): Promise<CodePage> {
  const foundRows = await codePage.all(sql, {
    eventId,
    before: before ?? Number.MAX_SAFE_INTEGER,
    limit: limit + 1,
  })
  const rows = foundRows.slice(0, limit)
  const uses = await usesOfCodes.all(sql, {
    ids: JSON.stringify(rows.map(({ id }) => id)),
    adjustments: JSON.stringify(adjustments.map(({ kind, adjustment }) => `${kind} ${adjustment}`)),
    holdMs,
    at,
  })
  const usesById = Map.groupBy(uses, ({ codeId }) => codeId)
  return {
    codes: rows.map(({ id, ...code }) => {
      const usesOfCode = (usesById.get(id) ?? [])
        .map(({ codeId: _, ...sums }) => sums)
        .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
      return {
        ...code,
        uses: usesOfCode.reduce((sum, row) => sum + row.uses, 0),
        paid: usesOfCode.reduce((sum, row) => sum + row.paid, 0),
        discounts: usesOfCode,
      }
    }),
    next: foundRows.length > limit ? (rows.at(-1)?.id ?? null) : null,
  }
}
