/** Every text that delegates read is in the catalogue or in an event file, so that it can be translated. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findWrittenTexts } from './written-text.ts'

const ROOT = join(import.meta.dirname, '..')

/** Files and folders whose texts delegates may read. */
const SHOWN_TO_DELEGATES = [
  'web/app',
  'web/landing',
  'web/registration',
  'web/results',
  'web/self-service',
  'web/ui',
  'server/documents',
  'server/http',
  'server/mail',
  'server/pages',
  'server/registration',
  'server/self-service',
  'engine/answers',
  'engine/documents',
  'engine/messages',
  'engine/pricing',
  'engine/payments/can-pay.ts',
  'engine/payments/duplicate-payment.ts',
  'engine/payments/payment-claim.ts',
  'engine/payments/payment-methods.ts',
  'engine/registration/invoice-buyer.ts',
]

type Exception = { readonly why: string; readonly in: RegExp; readonly text?: RegExp }

const EXCEPTIONS: readonly Exception[] = [
  { why: 'class names', in: /^(web|server)\//, text: /^btn( [a-z]+)+$/ },
  { why: 'CSS', in: /^web\/registration\/form\/mui-theme\.ts$/ },
  { why: 'CSS', in: /^server\/pages\/html-shell\.ts$/, text: /[{;]/ },
  { why: 'font names', in: /^server\/mail\/email-html\.ts$/, text: /sans-serif$/ },
  { why: 'a selector', in: /people-list\.tsx$/, text: /^input:not/ },
  {
    why: 'names of browser storage and channels',
    in: /^web\/(registration|results)\//,
    text: /^(answers|completed|proofs|sent from here) of \{\}$/,
  },
  { why: 'HTTP header values', in: /^server\//, text: /; charset=utf-8|; filename=/ },
  { why: 'headers of raw responses', in: /^server\/http\/security-headers\.ts$/ },
  { why: 'chunks of PNG files', in: /remove-photo-metadata\.ts$/ },
  { why: 'a script', in: /^server\/pages\/unsupported-browser-script\.ts$/ },
  { why: 'robots.txt', in: /page-routes\.ts$/, text: /^User-agent/ },
  { why: 'placeholders that are replaced by links', in: /^engine\/messages\//, text: /^\{l/ },
  { why: 'English number words', in: /amount-in-words\.ts$/ },
  { why: 'the log of consents', in: /^engine\/answers\/consent-log-entry\.ts$/ },
  { why: 'lists for organisers', in: /price-list-tax\.ts$/, text: /^\{\}\{\} included$/ },
  {
    why: 'log lines',
    in: /^server\/registration\/uploads\/(unreferenced|store-uploaded)-files\.ts$/,
  },
  { why: 'log lines', in: /^server\/http\/request-body(-limits)?\.ts$/, text: /aborted$/ },
  { why: 'a style sheet', in: /^server\/mail\/email-html\.ts$/, text: /^:root\{/ },
  { why: 'a rate limit key', in: /^server\/http\/rate-limit\.ts$/, text: /^no address$/ },
  {
    why: 'staff and organiser pages',
    in: /(page-routes|public-pages)\.ts$/,
    text: /organisers|office|^Sign in/i,
  },
  { why: 'emails to staff', in: /^server\/mail\/send-daily-payment-reviews\.ts$/ },
  {
    why: 'reasons in the email list for staff',
    in: /^server\/mail\/(background-transport|email-transport|send-queued-emails)\.ts$/,
  },
  {
    why: 'staff actions',
    in: /^server\/registration\/actions\/(action-input|cancel-and-refund|confirm-payment-claim|erase-after-retention|erase-personal-data|record-payment|resend-emails)\.ts$/,
  },
  {
    why: 'staff actions',
    in: /^server\/registration\/actions\/approve-registration\.ts$/,
    text: /^The event file has no other category|^The offered category/,
  },
  {
    why: 'the history of a registration, for staff',
    in: /^server\/registration\/actions\/choose-payment-method\.ts$/,
    text: /^Payment method: /,
  },
  {
    why: 'corrections by staff',
    in: /^server\/registration\/actions\/correct-answers\.ts$/,
    text: /answers: \{field|^A transfer|^Enter the name|has no field|^Files cannot|another file|\{\} (more|less)|^This correction|^(With )?[Tt]hese answers|was already refunded|has changed since you opened it/,
  },
  {
    why: 'registrations that staff add',
    in: /^server\/registration\/(create-registration|registration-errors)\.ts$/,
    text: /needs approval before payment|^This form was already sent|Nothing was registered/,
  },
]

const sources = SHOWN_TO_DELEGATES.flatMap((path) =>
  statSync(join(ROOT, path)).isFile()
    ? [path]
    : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${path}/${name.replaceAll('\\', '/')}`),
)

const foundTexts = sources.flatMap((path) =>
  findWrittenTexts(path, readFileSync(join(ROOT, path), 'utf8')).map((writtenText) => ({
    path,
    ...writtenText,
  })),
)

const isException = (
  { in: file, text }: Exception,
  written: (typeof foundTexts)[number],
): boolean => file.test(written.path) && (text?.test(written.text) ?? true)

test('every sentence that a delegate reads is in the catalogue or in an event file', () => {
  expect(sources.length).toBeGreaterThan(150)
  const misplaced = foundTexts
    .filter((foundText) => !EXCEPTIONS.some((exception) => isException(exception, foundText)))
    .map(({ path, line, text }) => `${path}:${line}: ${text} (move it to engine/text-catalogue)`)
  expect(misplaced).toEqual([])
})

test('every exception is still needed', () => {
  const unused = EXCEPTIONS.filter(
    (exception) => !foundTexts.some((foundText) => isException(exception, foundText)),
  )
  expect(unused.map(({ in: file, why }) => `${String(file)}: ${why}`)).toEqual([])
})

const parseAsModule = (source: string): string =>
  source.startsWith('<') ? `export const shown = () => ${source}` : source

test.each([
  ['a sentence between tags', '<p>Your registration is saved.</p>'],
  ['one word between tags', '<h2>Documents</h2>'],
  ['part of a sentence', '<p>{name} and {other}</p>'],
  ['a label', '<nav aria-label="Steps" />'],
  ['a choice between two words', "<b>{done ? 'Copied' : 'Copy'}</b>"],
  ['a template with a value', '<p>{`${count} seats left`}</p>'],
  ['a sentence in a constant', "const SENT = 'We have sent you an email.'"],
  ['a sentence in an error response', "refuse(reply, 409, 'full', 'No seats are left.')"],
  ['a value in a message', "const all = { title: 'Receipt' }"],
  ['markup built by the server', 'const page = `<h1>Page not found</h1>`'],
])('detects a text that is in code instead of the catalogue: %s', (_, source) => {
  expect(findWrittenTexts('sample.tsx', parseAsModule(source))).not.toEqual([])
})

test.each([
  ['a class name', '<p className="btn line" />'],
  ['an import', "import { a } from './some file.ts'"],
  ['an assertion', "assert(isFine, 'this must not happen')"],
  ['a thrown error', "throw new Error('this must not happen')"],
  ['a type', "type Kind = 'Two words' | 'Other words'"],
  ['a log line', "log.info({ id }, 'a request failed')"],
  ['a comparison', "const same = text === 'Two words'"],
])('ignores text that delegates never read: %s', (_, source) => {
  expect(findWrittenTexts('sample.tsx', parseAsModule(source))).toEqual([])
})
