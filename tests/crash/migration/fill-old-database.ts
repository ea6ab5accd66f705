/** Fills a database that has schema version 30 with registrations, using the store of that version. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Row = Readonly<Record<string, unknown>>
/** The old version's types differ from the current ones. */
type Operation = (...args: readonly unknown[]) => Promise<unknown>
type Module = Readonly<Record<string, Operation>>

// Arguments: the checkout of version 30, DATA_DIR, the number of registrations, and a URL if the database is
// PostgreSQL.
const [checkout = '', dataDir = '', count = '300', databaseUrl = null] = process.argv.slice(2)
const load = async (file: string): Promise<Module> =>
  (await import(pathToFileURL(join(checkout, file)).href)) as Module

const [engine, storage, simulatorEvents] = await Promise.all(
  ['engine/index.ts', 'server/store/open.ts', 'tests/simulator/events.ts'].map(load),
)
const call = (module: Module | undefined, name: string, ...args: readonly unknown[]): unknown => {
  const operation = module?.[name]
  if (operation === undefined) throw new Error(`${checkout} has no ${name}`)
  return operation(...args)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The times of the first and last registration: one in the early period, one in the late period (to 28 February). */
const FIRST_AT = Date.UTC(2026, 0, 5, 4)
const LAST_AT = Date.UTC(2026, 1, 20, 12)
const BATCH_SIZE = 100

const CARD_CHECKOUT = { gateway: 'airpay', askedOf: { account: 'sample', merchantId: '100001' } }
const DEADLINE = LAST_AT + 5 * DAY
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

type ServedVersion = {
  readonly config: Row
  readonly hash: string
  readonly text: string
  readonly shared: string
}
const events = ['sample2026', 'seen2026', 'second2026'].map((id) => {
  const served = call(simulatorEvents, 'served', id, 'usual') as ServedVersion
  return { id, served, prefix: { sample2026: 'SMPL', seen2026: 'SEEN' }[id] ?? 'SCND' }
})
type Event = (typeof events)[number]

mkdirSync(join(dataDir, 'uploads'), { recursive: true })
const store = (await call(storage, 'openStore', { dataDir, databaseUrl, migrates: true })) as Module
const run = (verb: string, ...args: readonly unknown[]): Promise<unknown> => {
  const found = store[verb]
  if (found === undefined) throw new Error(`the store has no operation ${verb}`)
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
const buildEmail = (n: number, subject: string): Row => ({
  to: `delegate${n}@sample.example`,
  copyTo: n % 7 === 0 ? 'office@sample.example' : null,
  subject,
  text: `${subject}, delegate ${n}.\n`,
})

function makePerson(n: number, personCount: number): Person {
  const event = events[n % events.length] as Event
  const at = FIRST_AT + Math.floor(((LAST_AT - FIRST_AT) * n) / personCount)
  const names = ['Asha', 'Émile', 'രാഹുൽ', "O'Hara", 'Noor', 'Wei']
  const answers = {
    full_name: `${names[n % names.length]} Number${n}`,
    email: `delegate${n}@sample.example`,
    phone_number: `+9198${String((n * 7919) % 10 ** 8).padStart(8, '0')}`,
    is_member: n % 3 === 0,
    ...(event.id === 'seen2026' ? { food: n % 2 === 0 ? 'rice' : 'bread' } : {}),
  }
  const { config, hash } = event.served
  const quoteResult = call(engine, 'quote', config, answers, at) as { ok: boolean; value: Row }
  if (!quoteResult.ok) throw new Error(`no quote: ${JSON.stringify(quoteResult)}`)
  const regNo = `${event.prefix}${String((n * 7_919_317) % 10 ** 12).padStart(12, '0')}`
  return {
    n,
    event,
    regNo,
    orderId: call(engine, 'orderIdOf', regNo, 1) as unknown as string,
    at,
    total: Number(quoteResult.value['total']),
    answers,
    registration: {
      eventId: event.id,
      eventHash: hash,
      regNo,
      answers,
      searchable: call(engine, 'delegateOf', config, answers),
      category: call(engine, 'categoryOf', config, answers),
      quote: quoteResult.value,
      orderId: call(engine, 'orderIdOf', regNo, 1),
      ...CARD_CHECKOUT,
      holdUntil: at + 2 * DAY,
      uploads: [],
      at,
      mail: null,
      idempotency: n % 4 === 0 ? { key: `key-${n}`, fingerprint: `form-${n}` } : null,
    },
  }
}

const rejections = new Map<string, number>()
async function track(name: string, result: Promise<unknown>): Promise<unknown> {
  const { ok = true, error } = ((await result) ?? {}) as { ok?: boolean; error?: Row }
  const rejection = `${name}: ${JSON.stringify(error?.['code'])}`
  if (!ok) rejections.set(rejection, (rejections.get(rejection) ?? 0) + 1)
  return result
}
const register = (person: Person, changes: Row = {}): Promise<unknown> =>
  track('register', run('register', { ...person.registration, ...changes }))
const perform = (
  { regNo, at, n }: Person,
  verb: string,
  act: string,
  afterMs: number,
  ...details: readonly unknown[]
): Promise<unknown> => {
  const isDelegateAction = ['tell', 'ask_cancel', 'accept_offer', 'edit'].includes(act)
  const actor = isDelegateAction ? 'delegate' : act === 'lapse' ? 'clock' : 'owner'
  const who = isDelegateAction ? 'delegate' : act === 'lapse' ? 'rollcall' : 'Meera'
  const once = n % 5 === 0 ? { key: `${act}-${n}-${afterMs}`, fingerprint: act } : null
  const newAction = { regNo, act, actor, who, why: `Story ${n}.`, at: at + afterMs, once }
  return track(`${act} ${n % SCENARIOS.length}`, run(verb, newAction, ...details))
}
const buildSale = ({ n, total, at }: Person, extra: Row = {}): Row => ({
  type: 'confirmed',
  reference: `AP${n}`,
  amount: total,
  currency: 'INR',
  kind: 'sale',
  at: at + 60_000,
  ...extra,
})
const pay = async (person: Person, extra: Row = {}): Promise<void> => {
  const { orderId, at, n } = person
  const body = `<answer n="${n}"/>`
  const raw = { gateway: 'airpay', body, contentType: 'text/xml', at: at + 61_000 }
  await run('recordNotice', { ...raw, kind: 'notice', orderId })
  await run('applyFact', orderId, buildSale(person, extra), buildEmail(n, 'Registered'), raw)
}
const confirm = (person: Person, method: string, reference: string): Promise<unknown> =>
  perform(
    person,
    'confirm',
    'confirm',
    3 * DAY,
    { way: method, reference, amount: person.total, paidAt: person.at + 2 * DAY },
    buildEmail(person.n, 'Registered'),
  )
const claim = (
  person: Person,
  reference: string,
  uploads: readonly unknown[] = [],
): Promise<unknown> =>
  perform(
    person,
    'tell',
    'tell',
    HOUR,
    { way: 'transfer', reference, paidOn: '2026-02-01', answers: {}, uploads, drafts: [] },
    buildEmail(person.n, 'Thank you'),
  )
const addUpload = (field: string, n: number): Row => {
  const bytes = Buffer.concat([PDF, Buffer.from(`% ${field} ${n}\n`)])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const folder = join(dataDir, 'uploads', sha256.slice(0, 2))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, sha256), bytes)
  return { field, sha256, name: `${field}-${n}.pdf`, type: 'application/pdf', bytes: bytes.length }
}
const correct = (person: Person, extra: number, changes: Row = {}): Promise<unknown> => {
  const { registration, answers, n } = person
  const quote = registration['quote'] as Row
  const correctedQuote = {
    ...quote,
    base: Number(quote['base']) + extra,
    total: Number(quote['total']) + extra,
    lines: [],
  }
  return perform(person, 'correct', 'correct', 4 * DAY, {
    was: answers,
    answers: { ...answers, full_name: `Corrected Number${n}` },
    category: registration['category'],
    searchable: { ...(registration['searchable'] as Row), fullName: `Corrected Number${n}` },
    unique: [],
    quote: extra === 0 ? null : correctedQuote,
    through: extra > 0 ? { way: 'transfer' } : null,
    holdUntil: null,
    changes: ['Full Name'],
    uploads: [],
    mails: [buildEmail(n, 'Corrected')],
    revokesLinks: false,
    ...changes,
  })
}
const cancel = (person: Person, refunded: number): Promise<unknown> =>
  perform(person, 'cancel', 'cancel', 5 * DAY, {
    payBack: refunded,
    shown: null,
    mail: buildEmail(person.n, 'Cancelled'),
  })
const refund = (person: Person, amount: number | null, byHand: string | null): Promise<unknown> =>
  perform(person, 'refund', 'refund', 6 * DAY, { amount, byHand })
/** Sends pending refunds, as the server does. */
async function sendRefunds({ regNo, orderId, at, n }: Person, isCompleted: boolean): Promise<void> {
  const [pending] = (await run('refunds', regNo)) as { id: number; amount: number }[]
  if (pending === undefined || !(await run('claimRefund', pending.id, at + 6 * DAY + 1))) return
  const answer = { is: 'begun', reference: `RF${n}`, said: '', raw: '{}', gateway: 'airpay' }
  await run('refundTold', pending.id, answer, at + 6 * DAY + 2)
  const event = { type: 'refunded', reference: `RF${n}`, amount: pending.amount, at: at + 7 * DAY }
  if (isCompleted) await run('applyFact', orderId, event, null)
}
const decide = async (person: Person, decision: Row): Promise<void> => {
  const reviews = (await run('reviews', person.event.id)) as {
    id: string
    regNo: string | null
  }[]
  for (const { id } of reviews.filter(({ regNo }) => regNo === person.regNo))
    await track(
      `decide ${String(decision['what'])}`,
      run(
        'decide',
        id,
        { why: 'Seen in the panel.', who: 'Meera', ...decision },
        person.at + 8 * DAY,
        buildEmail(person.n, 'Registered'),
      ),
    )
}
const requireApproval = (person: Person): Row => ({
  orderId: null,
  approval: { id: 'seen', decideBy: person.at + 3 * DAY },
})
const buildApproval = (person: Person): Row => ({
  through: { way: 'transfer' },
  payUntil: DEADLINE,
  mail: buildEmail(person.n, 'Approved'),
  confirmation: null,
})
const byTransfer = (person: Person): Row => ({ way: 'transfer', payUntil: person.at + 30 * DAY })

/** Each scenario is the history of one registration. */
const SCENARIOS: readonly ((person: Person) => Promise<unknown>)[] = [
  (p) => register(p),
  async (p) => {
    await register(p)
    await pay(p)
  },
  async (p) => {
    await register(p, { mail: buildEmail(p.n, 'Pay by transfer'), ...byTransfer(p) })
    await claim(p, `HDFCN52026${String(p.n).padStart(7, '0')}`)
    await confirm(p, 'transfer', `HDFCN52026${String(p.n).padStart(7, '0')}`)
  },
  async (p) => {
    await register(p, byTransfer(p))
    await confirm(p, 'cheque', `${String(100_000 + (p.n % 900_000))} Federal Bank ${p.n}`)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await correct(p, 5_000)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await correct(p, 7_000)
    const card = { ...CARD_CHECKOUT, price: undefined }
    const attempt = (await run('retry', p.regNo, p.at + 4 * DAY + 5, card)) as {
      ok: boolean
      value: Row
    }
    if (attempt.ok)
      await run(
        'applyFact',
        attempt.value['orderId'],
        buildSale(p, { reference: `APD${p.n}`, amount: 7_000, at: p.at + 4 * DAY + 9 }),
        null,
      )
  },
  async (p) => {
    await register(p)
    await cancel(p, 0)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await cancel(p, p.total)
    await refund(p, null, null)
    await sendRefunds(p, true)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await refund(p, 10_000, `NEFT${p.n}`)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await refund(p, null, `NEFT${p.n}`)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await cancel(p, Math.floor(p.total / 2))
    await refund(p, Math.floor(p.total / 2), null)
    await sendRefunds(p, false)
  },
  async (p) => {
    await register(p)
    await correct(p, 0)
  },
  async (p) => {
    await register(p)
    await pay(p)
    await correct(p, -3_000)
  },
  async (p) => {
    await register(p)
    await pay(p, { amount: p.total - 1_000 })
  },
  async (p) => {
    await register(p)
    await pay(p, { amount: p.total - 2_000 })
    if (p.n < MAX_REVIEWED) await decide(p, { what: 'accept', reference: null, amount: null })
  },
  async (p) => {
    await register(p)
    await pay(p, { amount: p.total - 500 })
    if (p.n < MAX_REVIEWED) await decide(p, { what: 'refund', amount: null })
  },
  (p) => register(p, requireApproval(p)),
  async (p) => {
    await register(p, requireApproval(p))
    await perform(p, 'approve', 'approve', DAY, buildApproval(p))
  },
  async (p) => {
    await register(p, requireApproval(p))
    await perform(p, 'refuse', 'refuse', DAY, {
      offer: 'non-member',
      mail: buildEmail(p.n, 'Refused'),
    })
  },
  async (p) => {
    await register(p, requireApproval(p))
    await perform(p, 'refuse', 'refuse', DAY, { offer: 'non-member', mail: null })
    const quote = p.registration['quote']
    await perform(p, 'acceptOffer', 'accept_offer', 2 * DAY, {
      ...buildApproval(p),
      category: 'non-member',
      quote,
    })
  },
  async (p) => {
    await register(p)
    await pay(p)
    await perform(p, 'erase', 'erase', 9 * DAY)
  },
  async (p) => {
    await register(p, { uploads: [addUpload('letter', p.n)] })
    await pay(p)
  },
  async (p) => {
    await register(p, byTransfer(p))
    await claim(p, `UTR${String(p.n).padStart(12, '0')}`, [addUpload('transfer.utr', p.n)])
  },
  async (p) => {
    await register(p, byTransfer(p))
    await claim(p, `SBIN${String(p.n).padStart(12, '0')}`)
    await perform(p, 'notFound', 'not_found', 2 * DAY, {
      payUntil: DEADLINE,
      mail: buildEmail(p.n, 'Not found'),
    })
  },
  async (p) => {
    await register(p, { way: 'transfer', payUntil: p.at + HOUR })
    await perform(p, 'lapse', 'lapse', 2 * HOUR, buildEmail(p.n, 'Expired'))
  },
  async (p) => {
    await register(p, { way: 'transfer', payUntil: p.at + HOUR })
    await perform(p, 'lapse', 'lapse', 2 * HOUR, null)
    await perform(p, 'takeUp', 'take_up', DAY, {
      way: 'transfer',
      payUntil: DEADLINE,
      mail: null,
    })
  },
  async (p) => {
    await register(p)
    await pay(p)
    await perform(p, 'cameAgain', 'came_again', 3 * DAY, {
      way: 'transfer',
      reference: `ICIC${p.n}`,
      amount: p.total,
      paidAt: p.at + 2 * DAY,
    })
  },
  async (p) => {
    await register(p)
    await run(
      'applyFact',
      p.orderId,
      { type: 'declined', code: '400', message: 'The bank declined', at: p.at + 9 },
      null,
    )
    const attempt = (await run('retry', p.regNo, p.at + HOUR)) as { ok: boolean; value: Row }
    if (attempt.ok)
      await run('applyFact', attempt.value['orderId'], buildSale(p), buildEmail(p.n, 'Registered'))
  },
  async (p) => {
    await register(p)
    await run('applyFact', p.orderId, { type: 'expired', at: p.at + DAY }, null)
  },
  (p) =>
    register(p, {
      addedBy: 'Meera',
      way: 'desk',
      inHand: {
        actor: 'owner',
        way: 'cash',
        reference: `SLIP-${p.n}`,
        mail: buildEmail(p.n, 'Registered'),
      },
    }),
  async (p) => {
    const unique = [
      { name: 'email text', otherwise: 'block', parts: [{ id: 'email', as: 'text' }] },
    ]
    const code = { folded: `COUPON${p.event.prefix}`, kind: 'coupon' }
    await register(p, { outside: { unique, isConfirmed: false, code, rolls: [], holdMs: HOUR } })
    await pay(p)
    await run('addLink', {
      tokenHash: `link-${p.n}`,
      regNo: p.regNo,
      purpose: 'my',
      at: p.at,
      expiresAt: DEADLINE,
    })
    await perform(p, 'note', 'note', HOUR)
    await perform(p, 'askCancel', 'ask_cancel', 2 * HOUR)
  },
]
/** Only lower numbers get a decision, because each decision reads all reviews for its event. */
const MAX_REVIEWED = 3_000

async function prepareEvents(): Promise<void> {
  const [, reviewedEvent] = events
  const limits = (reviewedEvent?.served.config['limits'] ?? []) as readonly Row[]
  const membersOnly = limits[0]?.['when']
  for (const { id, served, prefix } of events) {
    const { config, hash, text, shared } = served
    await run('keepEventFile', {
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
    await run('makeCodes', {
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
    await run('replaceRoll', id, 'members', rows, 'Meera', FIRST_AT)
  }
  await run('addAdmin', 'Meera', 'argon2-hash', FIRST_AT)
  await run('addAdmin', 'omar', 'argon2-hash', FIRST_AT)
  await run('audit', {
    at: FIRST_AT,
    who: 'Meera',
    what: 'signed in',
    eventId: null,
    regNo: null,
  })
}

async function importAndClaim(personCount: number): Promise<void> {
  const [firstEvent] = events
  if (firstEvent === undefined) return
  const imports = Array.from({ length: Math.ceil(personCount / 40) }, (_, n) => ({
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
  for (let index = 0; index < imports.length; index += 500)
    await track('import', run('importRegistrations', imports.slice(index, index + 500)))
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
  await run('keepSettlement', {
    source: 'airpay',
    account: 'sample',
    eventId: firstEvent.id,
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
    eventId: firstEvent.id,
    who: 'Meera',
    at: LAST_AT,
  }))
  await run('keepUnmatched', unmatched)
  await run('keepDraft', 'draft-token', {
    ...addUpload('letter', 0),
    eventId: firstEvent.id,
    at: LAST_AT,
  })
  for (const { id } of (await run('dueMails', LAST_AT, 40)) as { id: number }[]) {
    await run('claimMail', id, LAST_AT)
    await (id % 3 === 0 ? run('mailFailed', id, 'refused', null) : run('mailSent', id, LAST_AT))
  }
}

const total = Number(count)
await prepareEvents()
for (let start = 1; start <= total; start += BATCH_SIZE) {
  const batch = Array.from({ length: Math.min(BATCH_SIZE, total - start + 1) }, (_, index) =>
    makePerson(start + index, total),
  )
  await Promise.all(batch.map(async (person) => SCENARIOS[person.n % SCENARIOS.length]?.(person)))
}
await importAndClaim(total)
await run('ping', LAST_AT)
await run('close')
for (const [rejection, times] of rejections) console.log(`refused: ${rejection} ${times} times`)
