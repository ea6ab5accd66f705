/**
 * Fills a database of schema version 30 through the store of that version.
 * `node fill-old-database.ts CHECKOUT DATA_DIR COUNT [DATABASE_URL]`: so many registrations of three events, in every state.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Row = Readonly<Record<string, unknown>>
/** The code of that version is not that of our types. */
type Verb = (...args: readonly unknown[]) => Promise<unknown>
type Module = Readonly<Record<string, Verb>>

const [checkout = '', dataDir = '', count = '300', databaseUrl = null] = process.argv.slice(2)
const load = async (file: string): Promise<Module> =>
  (await import(pathToFileURL(join(checkout, file)).href)) as Module

const [engine, opening, simulated] = await Promise.all(
  ['engine/index.ts', 'server/store/open.ts', 'tests/simulator/events.ts'].map(load),
)
const call = (module: Module | undefined, name: string, ...args: readonly unknown[]): unknown => {
  const found = module?.[name]
  if (found === undefined) throw new Error(`${checkout} has no ${name}`)
  return found(...args)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The early and the late period of the events, which end on 28 February. */
const FIRST_AT = Date.UTC(2026, 0, 5, 4)
const LAST_AT = Date.UTC(2026, 1, 20, 12)
const TOGETHER = 100

const CARD = { gateway: 'airpay', askedOf: { account: 'sample', merchantId: '100001' } }
const DEADLINE = LAST_AT + 5 * DAY
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

type Served = {
  readonly config: Row
  readonly hash: string
  readonly text: string
  readonly shared: string
}
const events = ['sample2026', 'seen2026', 'second2026'].map((id) => {
  const served = call(simulated, 'served', id, 'usual') as Served
  return { id, served, prefix: { sample2026: 'SMPL', seen2026: 'SEEN' }[id] ?? 'SCND' }
})
type Event = (typeof events)[number]

mkdirSync(join(dataDir, 'uploads'), { recursive: true })
const store = (await call(opening, 'openStore', { dataDir, databaseUrl, migrates: true })) as Module
const does = (verb: string, ...args: readonly unknown[]): Promise<unknown> => {
  const found = store[verb]
  if (found === undefined) throw new Error(`the store has no ${verb}`)
  return found(...args)
}

type Person = {
  readonly n: number
  readonly event: Event
  readonly regNo: string
  readonly orderId: string
  readonly at: number
  readonly total: number
  readonly answers: Row
  readonly registration: Row
}
const mailTo = (n: number, subject: string): Row => ({
  to: `delegate${n}@sample.example`,
  copyTo: n % 7 === 0 ? 'office@sample.example' : null,
  subject,
  text: `${subject}, delegate ${n}.\n`,
})

function personOf(n: number, all: number): Person {
  const event = events[n % events.length] as Event
  const at = FIRST_AT + Math.floor(((LAST_AT - FIRST_AT) * n) / all)
  const names = ['Asha', 'Émile', 'രാഹുൽ', "O'Hara", 'Noor', 'Wei']
  const answers = {
    full_name: `${names[n % names.length]} Number${n}`,
    email: `delegate${n}@sample.example`,
    phone_number: `+9198${String((n * 7919) % 10 ** 8).padStart(8, '0')}`,
    is_member: n % 3 === 0,
    ...(event.id === 'seen2026' ? { food: n % 2 === 0 ? 'rice' : 'bread' } : {}),
  }
  const { config, hash } = event.served
  const quoted = call(engine, 'quote', config, answers, at) as { ok: boolean; value: Row }
  if (!quoted.ok) throw new Error(`no price: ${JSON.stringify(quoted)}`)
  const regNo = `${event.prefix}${String((n * 7_919_317) % 10 ** 12).padStart(12, '0')}`
  return {
    n,
    event,
    regNo,
    orderId: call(engine, 'orderIdOf', regNo, 1) as unknown as string,
    at,
    total: Number(quoted.value['total']),
    answers,
    registration: {
      eventId: event.id,
      eventHash: hash,
      regNo,
      answers,
      searchable: call(engine, 'delegateOf', config, answers),
      category: call(engine, 'categoryOf', config, answers),
      quote: quoted.value,
      orderId: call(engine, 'orderIdOf', regNo, 1),
      ...CARD,
      holdUntil: at + 2 * DAY,
      uploads: [],
      at,
      mail: null,
      idempotency: n % 4 === 0 ? { key: `key-${n}`, fingerprint: `form-${n}` } : null,
    },
  }
}

const refusals = new Map<string, number>()
async function done(name: string, result: Promise<unknown>): Promise<unknown> {
  const { ok = true, error } = ((await result) ?? {}) as { ok?: boolean; error?: Row }
  const refusal = `${name}: ${JSON.stringify(error?.['code'])}`
  if (!ok) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1)
  return result
}
const registers = (person: Person, changes: Row = {}): Promise<unknown> =>
  done('register', does('register', { ...person.registration, ...changes }))
const acts = (
  { regNo, at, n }: Person,
  verb: string,
  act: string,
  afterMs: number,
  ...how: readonly unknown[]
): Promise<unknown> => {
  const delegates = ['tell', 'ask_cancel', 'accept_offer', 'edit'].includes(act)
  const actor = delegates ? 'delegate' : act === 'lapse' ? 'clock' : 'owner'
  const who = delegates ? 'delegate' : act === 'lapse' ? 'rollcall' : 'Meera'
  const once = n % 5 === 0 ? { key: `${act}-${n}-${afterMs}`, fingerprint: act } : null
  const wanted = { regNo, act, actor, who, why: `Story ${n}.`, at: at + afterMs, once }
  return done(`${act} ${n % STORIES.length}`, does(verb, wanted, ...how))
}
const came = ({ n, total, at }: Person, more: Row = {}): Row => ({
  type: 'confirmed',
  reference: `AP${n}`,
  amount: total,
  currency: 'INR',
  kind: 'sale',
  at: at + 60_000,
  ...more,
})
const pays = async (person: Person, more: Row = {}): Promise<void> => {
  const { orderId, at, n } = person
  const raw = {
    gateway: 'airpay',
    body: `<answer n="${n}"/>`,
    contentType: 'text/xml',
    at: at + 61_000,
  }
  await does('recordNotice', { ...raw, kind: 'notice', orderId })
  await does('applyFact', orderId, came(person, more), mailTo(n, 'Registered'), raw)
}
const transfers = (person: Person, way: string, reference: string): Promise<unknown> =>
  acts(
    person,
    'confirm',
    'confirm',
    3 * DAY,
    { way, reference, amount: person.total, paidAt: person.at + 2 * DAY },
    mailTo(person.n, 'Registered'),
  )
const claims = (
  person: Person,
  reference: string,
  uploads: readonly unknown[] = [],
): Promise<unknown> =>
  acts(
    person,
    'tell',
    'tell',
    HOUR,
    { way: 'transfer', reference, paidOn: '2026-02-01', answers: {}, uploads, drafts: [] },
    mailTo(person.n, 'Thank you'),
  )
const upload = (field: string, n: number): Row => {
  const bytes = Buffer.concat([PDF, Buffer.from(`% ${field} ${n}\n`)])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const folder = join(dataDir, 'uploads', sha256.slice(0, 2))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, sha256), bytes)
  return { field, sha256, name: `${field}-${n}.pdf`, type: 'application/pdf', bytes: bytes.length }
}
const corrects = (person: Person, more: number, changes: Row = {}): Promise<unknown> => {
  const { registration, answers, n } = person
  const quote = registration['quote'] as Row
  const priced = {
    ...quote,
    base: Number(quote['base']) + more,
    total: Number(quote['total']) + more,
    lines: [],
  }
  return acts(person, 'correct', 'correct', 4 * DAY, {
    was: answers,
    answers: { ...answers, full_name: `Corrected Number${n}` },
    category: registration['category'],
    searchable: { ...(registration['searchable'] as Row), fullName: `Corrected Number${n}` },
    unique: [],
    quote: more === 0 ? null : priced,
    through: more > 0 ? { way: 'transfer' } : null,
    holdUntil: null,
    changes: ['Full Name'],
    uploads: [],
    mails: [mailTo(n, 'Corrected')],
    endsLinks: false,
    ...changes,
  })
}
const cancels = (person: Person, payBack: number): Promise<unknown> =>
  acts(person, 'cancel', 'cancel', 5 * DAY, {
    payBack,
    shown: null,
    mail: mailTo(person.n, 'Cancelled'),
  })
const refunds = (person: Person, amount: number | null, byHand: string | null): Promise<unknown> =>
  acts(person, 'refund', 'refund', 6 * DAY, { amount, byHand })
/** Sends what is to be refunded, as the server does. */
async function sends({ regNo, orderId, at, n }: Person, isDone: boolean): Promise<void> {
  const [refund] = (await does('refunds', regNo)) as { id: number; amount: number }[]
  if (refund === undefined || !(await does('claimRefund', refund.id, at + 6 * DAY + 1))) return
  const answer = { is: 'begun', reference: `RF${n}`, said: '', raw: '{}', gateway: 'airpay' }
  await does('refundTold', refund.id, answer, at + 6 * DAY + 2)
  const back = { type: 'refunded', reference: `RF${n}`, amount: refund.amount, at: at + 7 * DAY }
  if (isDone) await does('applyFact', orderId, back, null)
}
const decides = async (person: Person, decision: Row): Promise<void> => {
  const reviews = (await does('reviews', person.event.id)) as { id: string; regNo: string | null }[]
  for (const { id } of reviews.filter(({ regNo }) => regNo === person.regNo))
    await done(
      `decide ${String(decision['what'])}`,
      does(
        'decide',
        id,
        { why: 'Seen in the panel.', who: 'Meera', ...decision },
        person.at + 8 * DAY,
        mailTo(person.n, 'Registered'),
      ),
    )
}
const approval = (person: Person): Row => ({
  orderId: null,
  approval: { id: 'seen', decideBy: person.at + 3 * DAY },
})
const approved = (person: Person): Row => ({
  through: { way: 'transfer' },
  payUntil: DEADLINE,
  mail: mailTo(person.n, 'Approved'),
  confirmation: null,
})
const byTransfer = (person: Person): Row => ({ way: 'transfer', payUntil: person.at + 30 * DAY })

/** One life of a registration each. */
const STORIES: readonly ((person: Person) => Promise<unknown>)[] = [
  (one) => registers(one),
  async (one) => {
    await registers(one)
    await pays(one)
  },
  async (one) => {
    await registers(one, { mail: mailTo(one.n, 'Pay by transfer'), ...byTransfer(one) })
    await claims(one, `HDFCN52026${String(one.n).padStart(7, '0')}`)
    await transfers(one, 'transfer', `HDFCN52026${String(one.n).padStart(7, '0')}`)
  },
  async (one) => {
    await registers(one, byTransfer(one))
    await transfers(one, 'cheque', `${String(100_000 + (one.n % 900_000))} Federal Bank ${one.n}`)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await corrects(one, 5_000)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await corrects(one, 7_000)
    const card = { ...CARD, price: undefined }
    const next = (await does('retry', one.regNo, one.at + 4 * DAY + 5, card)) as {
      ok: boolean
      value: Row
    }
    if (next.ok)
      await does(
        'applyFact',
        next.value['orderId'],
        came(one, { reference: `APD${one.n}`, amount: 7_000, at: one.at + 4 * DAY + 9 }),
        null,
      )
  },
  async (one) => {
    await registers(one)
    await cancels(one, 0)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await cancels(one, one.total)
    await refunds(one, null, null)
    await sends(one, true)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await refunds(one, 10_000, `NEFT${one.n}`)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await refunds(one, null, `NEFT${one.n}`)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await cancels(one, Math.floor(one.total / 2))
    await refunds(one, Math.floor(one.total / 2), null)
    await sends(one, false)
  },
  async (one) => {
    await registers(one)
    await corrects(one, 0)
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await corrects(one, -3_000)
  },
  async (one) => {
    await registers(one)
    await pays(one, { amount: one.total - 1_000 })
  },
  async (one) => {
    await registers(one)
    await pays(one, { amount: one.total - 2_000 })
    if (one.n < REVIEWED_MAX) await decides(one, { what: 'accept', reference: null, amount: null })
  },
  async (one) => {
    await registers(one)
    await pays(one, { amount: one.total - 500 })
    if (one.n < REVIEWED_MAX) await decides(one, { what: 'refund', amount: null })
  },
  (one) => registers(one, approval(one)),
  async (one) => {
    await registers(one, approval(one))
    await acts(one, 'approve', 'approve', DAY, approved(one))
  },
  async (one) => {
    await registers(one, approval(one))
    await acts(one, 'refuse', 'refuse', DAY, {
      offer: 'non-member',
      mail: mailTo(one.n, 'Refused'),
    })
  },
  async (one) => {
    await registers(one, approval(one))
    await acts(one, 'refuse', 'refuse', DAY, { offer: 'non-member', mail: null })
    const quote = one.registration['quote']
    await acts(one, 'acceptOffer', 'accept_offer', 2 * DAY, {
      ...approved(one),
      category: 'non-member',
      quote,
    })
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await acts(one, 'erase', 'erase', 9 * DAY)
  },
  async (one) => {
    await registers(one, { uploads: [upload('letter', one.n)] })
    await pays(one)
  },
  async (one) => {
    await registers(one, byTransfer(one))
    await claims(one, `UTR${String(one.n).padStart(12, '0')}`, [upload('transfer.utr', one.n)])
  },
  async (one) => {
    await registers(one, byTransfer(one))
    await claims(one, `SBIN${String(one.n).padStart(12, '0')}`)
    await acts(one, 'notFound', 'not_found', 2 * DAY, {
      payUntil: DEADLINE,
      mail: mailTo(one.n, 'Not found'),
    })
  },
  async (one) => {
    await registers(one, { way: 'transfer', payUntil: one.at + HOUR })
    await acts(one, 'lapse', 'lapse', 2 * HOUR, mailTo(one.n, 'Expired'))
  },
  async (one) => {
    await registers(one, { way: 'transfer', payUntil: one.at + HOUR })
    await acts(one, 'lapse', 'lapse', 2 * HOUR, null)
    await acts(one, 'takeUp', 'take_up', DAY, { way: 'transfer', payUntil: DEADLINE, mail: null })
  },
  async (one) => {
    await registers(one)
    await pays(one)
    await acts(one, 'cameAgain', 'came_again', 3 * DAY, {
      way: 'transfer',
      reference: `ICIC${one.n}`,
      amount: one.total,
      paidAt: one.at + 2 * DAY,
    })
  },
  async (one) => {
    await registers(one)
    await does(
      'applyFact',
      one.orderId,
      { type: 'declined', code: '400', message: 'The bank declined', at: one.at + 9 },
      null,
    )
    const again = (await does('retry', one.regNo, one.at + HOUR)) as { ok: boolean; value: Row }
    if (again.ok)
      await does('applyFact', again.value['orderId'], came(one), mailTo(one.n, 'Registered'))
  },
  async (one) => {
    await registers(one)
    await does('applyFact', one.orderId, { type: 'expired', at: one.at + DAY }, null)
  },
  (one) =>
    registers(one, {
      addedBy: 'Meera',
      way: 'desk',
      inHand: {
        actor: 'owner',
        way: 'cash',
        reference: `SLIP-${one.n}`,
        mail: mailTo(one.n, 'Registered'),
      },
    }),
  async (one) => {
    const unique = [
      { name: 'email text', otherwise: 'block', parts: [{ id: 'email', as: 'text' }] },
    ]
    const code = { folded: `COUPON${one.event.prefix}`, kind: 'coupon' }
    await registers(one, { outside: { unique, isConfirmed: false, code, rolls: [], holdMs: HOUR } })
    await pays(one)
    await does('addLink', {
      tokenHash: `link-${one.n}`,
      regNo: one.regNo,
      purpose: 'my',
      at: one.at,
      expiresAt: DEADLINE,
    })
    await acts(one, 'note', 'note', HOUR)
    await acts(one, 'askCancel', 'ask_cancel', 2 * HOUR)
  },
]
/** Decisions read all reviews of an event. */
const REVIEWED_MAX = 3_000

async function prepares(): Promise<void> {
  const [, seen] = events
  const limits = (seen?.served.config['limits'] ?? []) as readonly Row[]
  const membersOnly = limits[0]?.['when']
  for (const { id, served, prefix } of events) {
    const { config, hash, text, shared } = served
    await does('keepEventFile', {
      hash,
      eventId: id,
      text,
      shared,
      at: FIRST_AT,
      limits: [
        { id: 'hall', max: 1_000_000, full: { say: 'The hall is full' } },
        { id: 'members', when: membersOnly, max: 900_000, full: { say: 'No place' } },
      ],
      placeNames: { hall: 'Hall' },
      holdPlaceMs: HOUR,
      issuer: call(engine, 'issuerOf', config),
    })
    const codes = ['COUPON', 'GUEST'].map((name) => ({
      code: name + prefix,
      folded: name + prefix,
    }))
    await does('makeCodes', {
      eventId: id,
      kind: 'coupon',
      codes,
      usesMax: 1_000_000,
      lastDay: null,
      note: 'Speakers',
      who: 'Meera',
      at: FIRST_AT,
    })
    const rows = Array.from({ length: 40 }, (_, n) => ({
      key: `M${n}`,
      cells: { name: `Member ${n}` },
    }))
    await does('replaceRoll', id, 'members', rows, 'Meera', FIRST_AT)
  }
  await does('addAdmin', 'Meera', 'argon2-hash', FIRST_AT)
  await does('addAdmin', 'omar', 'argon2-hash', FIRST_AT)
  await does('audit', { at: FIRST_AT, who: 'Meera', what: 'signed in', eventId: null, regNo: null })
}

async function finishes(all: number): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const imports = Array.from({ length: Math.ceil(all / 40) }, (_, n) => ({
    eventId: 'second2026',
    eventHash: events[2]?.served.hash,
    regNo: `SCNDI${String(n).padStart(11, '0')}`,
    formerNo: `OLD-${n}`,
    answers: {
      full_name: `Imported ${n}`,
      email: `imported${n}@sample.example`,
      phone_number: '',
      is_member: false,
    },
    searchable: {
      fullName: `Imported ${n}`,
      email: `imported${n}@sample.example`,
      phone: '',
      councilNo: '',
    },
    category: n % 2 === 0 ? 'member' : null,
    period: null,
    base: null,
    gst: null,
    total: 100_000 + n,
    paymentStatus: ['success', 'pending', 'failed', 'refunded'][n % 4],
    paymentId: n % 4 === 0 || n % 4 === 3 ? `TX${n % 3 === 0 ? n : `B${n}`}` : null,
    createdAt: FIRST_AT + n,
    paidAt: n % 4 === 0 || n % 4 === 3 ? FIRST_AT + n + HOUR : null,
  }))
  for (let at = 0; at < imports.length; at += 500)
    await done('import', does('importRegistrations', imports.slice(at, at + 500)))
  const lines = Array.from({ length: 60 }, (_, n) => ({
    line: n + 2,
    is: 'sale',
    order: '',
    reference: `APX${n}`,
    amount: 118_000,
    fee: 5_000,
    tax: 900,
    net: 112_100,
    day: '2026-02-10',
    utr: `UTRX${n % 5}`,
    paidOn: null,
    nth: 1,
  }))
  await does('keepSettlement', {
    source: 'airpay',
    account: 'sample',
    eventId: first.id,
    sha256: 'ab',
    who: 'Meera',
    at: LAST_AT,
    lines,
  })
  const unmatched = Array.from({ length: 20 }, (_, n) => ({
    reference: n % 2 === 0 ? `NEFTX${n}` : `2026-02-09 118000 CHQ DEP 45678${n % 10} DR ${n}`,
    amount: 118_000 + n,
    day: '2026-02-09',
    narration: n % 2 === 0 ? 'NEFT' : `CHQ DEP 45678${n % 10} DR C`,
    eventId: first.id,
    who: 'Meera',
    at: LAST_AT,
  }))
  await does('keepUnmatched', unmatched)
  await does('keepDraft', 'draft-token', { ...upload('letter', 0), eventId: first.id, at: LAST_AT })
  for (const { id } of (await does('dueMails', LAST_AT, 40)) as { id: number }[]) {
    await does('claimMail', id, LAST_AT)
    await (id % 3 === 0 ? does('mailFailed', id, 'refused', null) : does('mailSent', id, LAST_AT))
  }
}

const all = Number(count)
await prepares()
for (let from = 1; from <= all; from += TOGETHER) {
  const people = Array.from({ length: Math.min(TOGETHER, all - from + 1) }, (_, at) =>
    personOf(from + at, all),
  )
  await Promise.all(people.map(async (person) => STORIES[person.n % STORIES.length]?.(person)))
}
await finishes(all)
await does('ping', LAST_AT)
await does('close')
for (const [refusal, times] of refusals) console.log(`refused: ${refusal} ${times} times`)
