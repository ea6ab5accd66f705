/**
 * Each kind of row lock on a real PostgreSQL: two servers perform operations at the same moment and keep its rule; without
 * the lock they break it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import type { Issuer, OrderId, RegNo } from '../../../engine/index.ts'
import { LOCK_ORDER } from '../../../server/storage/database/sqlite-connection.ts'
import type { RowLock } from '../../../server/storage/database/sqlite-connection.ts'
import type { NewAction, ExternalContext, Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  declinedAt,
  hour,
  createImportRow,
  later,
  newEmail,
  newRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { Changes } from '../sample-registrations.ts'
import { meet, openMeetings, untilWaiting } from './meeting-operations.ts'
import type { Meeting, Meetings } from './meeting-operations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const nobody: ExternalContext = {
  unique: [],
  isConfirmed: false,
  code: null,
  rolls: [],
  holdMs: hour,
}
const owners = (regNo: RegNo, act: NewAction['act']): NewAction => ({
  regNo,
  act,
  actor: 'owner',
  who: 'Meera',
  why: 'Decided.',
  at: later(1000),
  once: null,
})

type Rule = {
  /** What holds with the lock. */
  readonly rule: string
  /** What happens without it. */
  readonly broken: string
  /** Returns what two operations at the same moment led to. */
  readonly attempt: (meeting: Meeting) => Promise<unknown>
  readonly kept: unknown
  readonly without: unknown
}

/** Registers the same twice at once, each time at another server. */
async function registerTwice(
  meeting: Meeting,
  table: string,
  changes: Changes,
): Promise<readonly string[]> {
  const operations = meeting.stores.map((store) => async () => {
    const answer = await store.register(newRegistration(changes))
    return answer.ok ? 'registered' : answer.error.code
  })
  return (await meet(meeting, table, operations)).results
}

/** Holds operations that queue an email when they are about to commit. */
async function meetAtCommit<T>(
  meeting: Meeting,
  operations: readonly (() => Promise<T>)[],
): Promise<void> {
  const { shell } = meeting
  await shell.query(
    `CREATE OR REPLACE FUNCTION commits() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN LOCK TABLE audit_log IN ROW EXCLUSIVE MODE; RETURN NULL; END $$`,
  )
  await shell.query(
    'CREATE CONSTRAINT TRIGGER commits AFTER INSERT ON mail_queue DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commits()',
  )
  await meet(meeting, 'audit_log', operations)
  await shell.query('DROP TRIGGER commits ON mail_queue')
}

const FILE = { hash: 'hash-1', eventId: 'demo', text: '', shared: '', at: noon } as const
const ISSUER: Issuer = {
  event: { id: 'demo', title: 'Demo', days: '', venue: '', support: '', colour: '' },
  roles: {},
  tax: { name: 'GST', percent: 18 },
  invoice: {
    supplier: 'Demo Society',
    address: 'Kochi',
    gstin: '32AAAAA0000A1Z5',
    sac: '999799',
    placeOfSupply: {},
    number: 'DEMO/{n}',
    creditNumber: 'DEMOC/{n}',
    buyer: {},
  },
  states: {},
}

async function setQuotas(store: Store, max: Readonly<Record<string, number>>): Promise<void> {
  await store.saveEventFile({
    ...FILE,
    holdPlaceMs: hour,
    limits: Object.entries(max).map(([id, most]) => ({ id, max: most, full: { message: id } })),
  })
}
const seatsTaken = async (store: Store): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries((await store.takenSeats('demo')).map(({ place, taken }) => [place, taken]))

const RULES: Readonly<Record<RowLock, readonly Rule[]>> = {
  subject: [
    {
      rule: 'of two owners who are removed at once, one stays',
      broken: 'both are removed, and nobody can manage users',
      async attempt(meeting) {
        const [store] = meeting.stores
        for (const name of ['first', 'second']) await store.addAdmin(name, 'hash', noon)
        const { results } = await meet(meeting, 'sessions', [
          () => meeting.stores[0].removeAdmin('first'),
          () => meeting.stores[1].removeAdmin('second'),
        ])
        return [...results, await store.adminCount()]
      },
      kept: ['removed', 'last', 1],
      without: ['removed', 'removed', 0],
    },
    {
      rule: 'an import counts in a quota that is activated at the same moment',
      broken: 'imported registrations take no seats of the new quota',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const limits = [{ id: 'hall', max: 5, full: { message: 'hall' } }]
        await meet<unknown>(meeting, 'audit_log', [
          () => first.importRegistrations([createImportRow()]),
          () =>
            second.activate({
              after: 0,
              events: [{ eventId: 'demo', hash: FILE.hash, isGone: false }],
              site: null,
              files: [{ ...FILE, holdPlaceMs: hour, limits }],
            }),
        ])
        return seatsTaken(first)
      },
      kept: { hall: 1 },
      without: { hall: 0 },
    },
    {
      rule: 'the email of a late payment is held when a recovery begins at the same moment',
      broken: 'the email is sent, and may have been sent before the restore',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const { orderId } = await registerSample(first)
        // The start of a recovery waits for pending payments in any case, and not for this one.
        await first.applyPaymentEvent(orderId, declinedAt(), null)
        const recovery = { at: later(90_000), who: 'Meera', why: 'Restored.', taken: [] }
        await meetAtCommit<unknown>(meeting, [
          () => first.applyPaymentEvent(orderId, confirmedBy('AP1'), newEmail),
          () => second.beginRecovery({ ...recovery, copyAt: null, servedAt: null }, null),
        ])
        return (await first.dueMails(later(hour), 9)).length
      },
      kept: 0,
      without: 1,
    },
    {
      rule: 'of two servers that activate versions at once, one is first',
      broken: 'both are first, and one serves what the other replaced',
      async attempt(meeting) {
        const events = [{ eventId: 'demo', hash: FILE.hash, isGone: false }]
        const activation = { after: 0, events, site: null, files: [FILE] }
        const { results } = await meet(
          meeting,
          'activation',
          meeting.stores.map((store) => () => store.activate(activation)),
        )
        return results
      },
      kept: [1, null],
      without: [1, 1],
    },
  ],
  registration: [
    {
      rule: 'a registration is approved or refused',
      broken: 'it is approved and refused',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const approval = { id: 'letter', decideBy: later(9000) }
        const { regNo } = await registerSample(first, { orderId: null, approval })
        const through = { way: 'transfer' }
        const approved = { through, payUntil: later(9000), mail: null, confirmation: null }
        const { results } = await meet(meeting, 'registrations', [
          () => first.approve(owners(regNo, 'approve'), approved),
          () => second.rejectApplication(owners(regNo, 'refuse'), { offer: null, mail: null }),
        ])
        return results.map(({ ok }) => ok)
      },
      kept: [true, false],
      without: [true, true],
    },
    {
      rule: 'of two payments of one registration, one counts',
      broken: 'both count, and the registration is booked twice',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const { regNo, orderId } = await registerSample(first)
        await first.applyPaymentEvent(orderId, declinedAt(), null)
        const again = await first.retry(regNo, later(120_000))
        if (!again.ok) throw new Error(again.error.code)
        await meet(meeting, 'captures', [
          () => first.applyPaymentEvent(orderId, confirmedBy('AP1'), newEmail),
          () => second.applyPaymentEvent(again.value.orderId, confirmedBy('AP2'), newEmail),
        ])
        const { rows } = await meeting.shell.query<{ booked: number }>(
          'SELECT booked::int FROM registrations',
        )
        const captures = (await first.captures(regNo)).map(({ state }) => state)
        return { captures, booked: rows[0]?.booked }
      },
      kept: { captures: ['fits', 'review'], booked: sampleQuote.total },
      without: { captures: ['fits', 'fits'], booked: 2 * sampleQuote.total },
    },
  ],
  version: [
    {
      rule: 'a version is replaced when the registrations under it are stored',
      broken: 'a registration is stored under a version that was replaced before',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const version = (hash: string, after: number) => ({
          after,
          events: [{ eventId: 'demo', hash, isGone: false }],
          site: null,
          files: [{ ...FILE, hash }],
        })
        await first.activate(version('hash-1', 0))
        const { results, doneBefore } = await meet<unknown>(meeting, 'registrations', [
          async () => (await first.register(newRegistration())).ok,
          () => second.activate(version('hash-2', 1)),
        ])
        return { results, replacedBefore: doneBefore }
      },
      kept: { results: [true, 2], replacedBefore: 0 },
      without: { results: [true, 2], replacedBefore: 1 },
    },
  ],
  'unique answer': [
    {
      rule: 'of two registrations with the same unique answer, one is stored',
      broken: 'both are stored',
      async attempt(meeting) {
        const parts = [{ id: 'full_name', as: 'text' }] as const
        const outside = {
          ...nobody,
          unique: [{ name: 'full_name text', onDuplicate: 'block', parts } as const],
        }
        // The first one fills the index of the rule.
        await registerSample(meeting.stores[0], { name: 'Earlier', outside })
        return registerTwice(meeting, 'registrations', { name: 'Asha', outside })
      },
      kept: ['registered', 'registered_already'],
      without: ['registered', 'registered'],
    },
    {
      rule: 'an imported answer is found by a rule that is asked for the first time meanwhile',
      broken: 'a delegate with an imported answer registers again',
      async attempt(meeting) {
        const [first, second] = meeting.stores
        const parts = [{ id: 'full_name', as: 'text' }] as const
        const outside = {
          ...nobody,
          unique: [{ name: 'full_name text', onDuplicate: 'block', parts } as const],
        }
        await meet<unknown>(meeting, 'audit_log', [
          () => first.importRegistrations([createImportRow()]),
          () => second.register(newRegistration({ name: 'Other', outside })),
        ])
        const answer = await first.register(newRegistration({ name: 'Old Demo', outside }))
        return answer.ok ? 'registered' : answer.error.code
      },
      kept: 'registered_already',
      without: 'registered',
    },
  ],
  code: [
    {
      rule: 'a discount code with one use is used once',
      broken: 'it is used twice',
      async attempt(meeting) {
        const [store] = meeting.stores
        await store.createDiscountCodes({
          eventId: 'demo',
          kind: 'coupon',
          codes: [{ code: 'ABC', folded: 'abc' }],
          usesMax: 1,
          lastDay: null,
          note: '',
          who: 'office',
          at: noon,
        })
        const outside = { ...nobody, code: { folded: 'abc', kind: 'coupon' } }
        const results = await registerTwice(meeting, 'registrations', { outside })
        return [...results, (await store.discountCodes('demo', hour, noon))[0]?.uses]
      },
      kept: ['registered', 'code_gone', 1],
      without: ['registered', 'registered', 2],
    },
  ],
  seat: [
    {
      rule: 'the last seat is sold once',
      broken: 'the last seat is sold twice',
      async attempt(meeting) {
        await setQuotas(meeting.stores[0], { hall: 1 })
        const results = await registerTwice(meeting, 'places_taken', {})
        return [results.toSorted(), await seatsTaken(meeting.stores[0])]
      },
      kept: [['full', 'registered'], { hall: 1 }],
      without: [['registered', 'registered'], { hall: 2 }],
    },
    {
      rule: 'the last seat of a quota is sold once, together with a seat of a quota that has more',
      broken: 'the last seat is sold twice, beside seats of other quotas',
      async attempt(meeting) {
        await setQuotas(meeting.stores[0], { hall: 5, dinner: 1, tour: 5 })
        const results = await registerTwice(meeting, 'places_taken', {})
        return [results.toSorted(), await seatsTaken(meeting.stores[0])]
      },
      kept: [['full', 'registered'], { hall: 1, dinner: 1, tour: 1 }],
      without: [['registered', 'registered'], { hall: 2, dinner: 2, tour: 2 }],
    },
    {
      rule: 'the last seat, whose hold is over, is sold once',
      broken: 'a seat whose hold is over is sold twice',
      async attempt(meeting) {
        await setQuotas(meeting.stores[0], { hall: 1 })
        await registerSample(meeting.stores[0])
        const results = await registerTwice(meeting, 'places_taken', { at: later(2 * hour) })
        return [results.toSorted(), await seatsTaken(meeting.stores[0])]
      },
      kept: [['full', 'registered'], { hall: 1 }],
      without: [['registered', 'registered'], { hall: 3 }],
    },
  ],
  person: [
    {
      rule: 'of two payments of one person, one is the second',
      broken: 'each is the first',
      async attempt(meeting) {
        const [first] = meeting.stores
        const all = [await registerSample(first), await registerSample(first)] as const
        const operations = meeting.stores.map((store, at) => async () => {
          const { regNo, orderId } = all[at] ?? all[0]
          return store.applyPaymentEvent(orderId, confirmedBy(`AP${regNo}`), newEmail)
        })
        await meet(meeting, 'mail_queue', operations)
        return Promise.all(
          all.map(async ({ regNo }) => {
            const second = await first.secondPayment(regNo)
            return second === null ? 'first' : second.first === all[0].regNo ? 'second' : 'other'
          }),
        )
      },
      kept: ['first', 'second'],
      without: ['first', 'first'],
    },
  ],
  mailbox: [
    {
      rule: 'a mailbox gets five emails in an hour that anyone can request, and one that says so',
      broken: 'it gets one more for each request at the same moment',
      async attempt(meeting) {
        const { shell, stores } = meeting
        const { regNo } = await registerSample(stores[0])
        for (let sent = 0; sent < 4; sent += 1)
          await stores[0].queueAccessLinks(regNo, newEmail, noon)
        // Both have counted the emails when the first is about to commit.
        await meetAtCommit(
          meeting,
          stores.map((store) => () => store.queueAccessLinks(regNo, newEmail, noon)),
        )
        const { rows } = await shell.query<{ kind: string; n: number }>(
          'SELECT kind, count(*)::int AS n FROM mail_queue GROUP BY kind',
        )
        return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
      },
      kept: { links: 5, paused: 1 },
      without: { links: 6 },
    },
  ],
}

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('two servers with one database', () => {
    let server: PostgresServer
    let meetings: Meetings
    beforeAll(async () => {
      server = await startPostgres()
      meetings = await openMeetings(server)
    })
    afterAll(async () => {
      await meetings.end()
      await server.stop()
    })

    describe.each(LOCK_ORDER)('the lock on a %s', (kind) => {
      test.each(RULES[kind].map((one) => [one.rule, one] as const))(
        '%s',
        async (_, { attempt, kept }) => {
          expect(await attempt(await meetings.begin())).toEqual(kept)
        },
      )

      test.each(RULES[kind].map((one) => [one.broken, one] as const))(
        'negative control: without it, %s',
        async (_, { attempt, without }) => {
          expect(await attempt(await meetings.begin(kind))).toEqual(without)
        },
      )
    })

    test('a payment message that reaches both at once is applied once', async () => {
      const both = await meetings.begin()
      const [first] = both.stores
      const { regNo, orderId } = await registerSample(first)
      const operations = both.stores.map(
        (store) => async () =>
          (await store.applyPaymentEvent(orderId, confirmedBy('AP1'), newEmail)).changed,
      )
      expect((await meet(both, 'captures', operations)).results).toEqual([true, false])
      const { rows } = await both.shell.query(
        `SELECT (SELECT booked::int FROM registrations) AS booked, (SELECT count(*)::int FROM mail_queue) AS mails,
             (SELECT count(*)::int FROM payment_facts) AS facts`,
      )
      expect(rows).toEqual([{ booked: sampleQuote.total, mails: 1, facts: 1 }])
      expect((await first.captures(regNo)).length).toBe(1)
    })

    test('two payments at once get consecutive invoice numbers', async () => {
      const both = await meetings.begin()
      const [first] = both.stores
      await first.saveEventFile({ ...FILE, issuer: ISSUER })
      const all = [await registerSample(first), await registerSample(first)]
      const operations = both.stores.map((store, at) => async () => {
        const { orderId } = all[at] ?? { orderId: '' as OrderId }
        await store.applyPaymentEvent(orderId, confirmedBy(`AP${at}`), newEmail)
      })
      const { doneBefore } = await meet(both, 'mail_queue', operations)
      // The second waits for the number of the first, which may still be rolled back.
      expect(doneBefore).toBe(0)
      const invoices = await Promise.all(all.map(({ regNo }) => first.documents(regNo)))
      expect(
        invoices.flatMap((documents) =>
          documents.filter(({ kind }) => kind === 'invoice').map(({ serial }) => serial),
        ),
      ).toEqual(['DEMO/1', 'DEMO/2'])
    })

    test('negative control: numbers that are read before they are counted are the same', async () => {
      const { shell, holder } = await meetings.begin()
      await shell.query("INSERT INTO document_series VALUES ('A', '2026-27', 'DEMO/{n}', 7)")
      for (const one of [shell, holder]) await one.query('BEGIN')
      const numbers = await Promise.all(
        [shell, holder].map((one) => one.query('SELECT last + 1 AS next FROM document_series')),
      )
      expect(numbers.flatMap(({ rows }) => rows)).toEqual([{ next: '8' }, { next: '8' }])
      for (const one of [shell, holder]) await one.query('ROLLBACK')
    })

    /** Starts an operation whose first attempt fails for want of a seat, up to where it has looked at the seats. */
    async function lookAtSeats<T>(
      both: Meeting,
      operations: readonly (() => Promise<T>)[],
      between: () => Promise<void>,
    ): Promise<readonly Promise<T>[]> {
      const { holder } = both
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM event_limits FOR UPDATE')
      const running = operations.map((operation) => operation())
      await untilWaiting(both, operations.length, 'event_limits')
      await between()
      await both.second.query('BEGIN')
      await both.second.query('LOCK TABLE registrations IN SHARE MODE')
      await holder.query('COMMIT')
      await untilWaiting(both, 1, 'insert into%registrations')
      return running
    }
    const codeOf = async (one: Promise<{ ok: true } | { ok: false; error: { code: string } }>) => {
      const answer = await one
      return answer.ok ? 'registered' : answer.error.code
    }

    test('a seat that becomes free while two look for one is sold once', async () => {
      const both = await meetings.begin()
      const [first] = both.stores
      await setQuotas(first, { hall: 1 })
      const { regNo } = await registerSample(first)
      const operations = both.stores.map((store) => () => store.register(newRegistration()))
      const running = await lookAtSeats(both, operations, async () => {
        await both.shell.query("UPDATE places_taken SET state = 'free', until = NULL")
      })
      await untilWaiting(both, 2)
      await both.second.query('COMMIT')
      const results = await Promise.all(running.map(codeOf))
      expect([results.toSorted(), await seatsTaken(first), regNo === '']).toEqual([
        ['full', 'registered'],
        { hall: 1 },
        false,
      ])
    })

    test('a seat whose hold is over is not sold again while its payment arrives', async () => {
      const both = await meetings.begin()
      const [first, second] = both.stores
      await setQuotas(first, { hall: 1 })
      const { regNo, orderId } = await registerSample(first)
      const at = later(2 * hour)
      const operations = [() => first.register(newRegistration({ at }))]
      const running = await lookAtSeats(both, operations, async () => {})
      const paying = second.applyPaymentEvent(
        orderId,
        confirmedBy('AP1', sampleQuote.total, at),
        newEmail,
      )
      await untilWaiting(both, 2)
      await both.second.query('COMMIT')
      await paying
      expect(await Promise.all(running.map(codeOf))).toEqual(['registered'])
      expect(await seatsTaken(first)).toEqual({ hall: 1 })
      expect((await first.captures(regNo)).map(({ state }) => state)).toEqual(['review'])
    })

    test('a payment is not the second of one that is cancelled at the same moment', async () => {
      const both = await meetings.begin()
      const [first, second] = both.stores
      const cancelled = await registerSample(first)
      await first.applyPaymentEvent(cancelled.orderId, confirmedBy('AP1'), null)
      const { regNo, orderId } = await registerSample(first)
      const how = { payBack: paise(0), shown: null, mail: newEmail }
      await meet<unknown>(both, 'mail_queue', [
        () => first.cancel(owners(cancelled.regNo, 'cancel'), how),
        () => second.applyPaymentEvent(orderId, confirmedBy('AP2'), newEmail),
      ])
      expect(await first.secondPayment(regNo)).toBeNull()
    })
  })
