/** HTML emails show the text with any markup escaped, and turn its URLs into links. */
import { expect, test } from 'vitest'
import { renderEmailHtml } from '../../../server/mail/email-html.ts'
import type { QueuedMail } from '../../../server/storage/index.ts'

const event = {
  title: 'Sample & Sons 2026',
  support: 'help@sample.example',
  look: { colour: '#0b6e4f' },
}
const renderHtml = (text: string, kind: QueuedMail['kind'] = 'confirmation'): string =>
  renderEmailHtml(event, { subject: 'Hello', text, kind }, 'https://register.example.org')

test('escapes markup in answers', () => {
  const page = renderHtml('Dear <b onclick="x">Asha</b>,\n\nwelcome.\nSee you')
  expect(page).toContain('Dear &lt;b onclick=&quot;x&quot;&gt;Asha&lt;/b&gt;,</p>')
  expect(page).toContain('welcome.<br/>See you</p>')
  expect(page).toContain('Sample &amp; Sons 2026</h1>')
})

test('renders a Rollcall link on its own line as a button, with the URL below it', () => {
  const page = renderHtml(
    'Dear Asha,\n\nFinish here:\nhttps://register.example.org/pay/abc_-1\n\nBye',
  )
  expect(page.match(/href="https:\/\/register\.example\.org\/pay\/abc_-1"/g)).toHaveLength(2)
  expect(page).toContain('Open your registration')
  const requestEmail = renderHtml('Request your links:\nhttps://register.example.org/my', 'paused')
  expect(requestEmail).toContain('>Request your links<')
  expect(requestEmail).not.toContain('Open your registration')
})

test('turns a URL in a sentence into a link, without the full stop after it', () => {
  expect(renderHtml('Hello,\n\nread https://venue.example/map?a=1&b=2. Thanks')).toContain(
    // This colour is dark enough on white; the default colour of the components is not.
    'href="https://venue.example/map?a=1&amp;b=2" style="color:#1050ac',
  )
})

test('says why the email was sent: to delegates because of a registration, to the office because of its address', () => {
  expect(renderHtml('Dear Asha')).toContain('because of a registration for Sample &amp; Sons 2026.')
  const officeEmail = renderHtml('2 payments need review', 'reviews')
  expect(officeEmail).toContain('this is the organisers’ email address for Sample &amp; Sons 2026.')
  expect(officeEmail).not.toContain('because of a registration')
})

test('every coloured element has a class, so that a dark theme shows light text on a dark background', () => {
  const page = renderHtml('Dear Asha,\n\nsee\nhttps://register.example.org/my/abc')
  expect(page).toContain('<meta name="color-scheme" content="light dark"/>')
  for (const [colour, className] of [
    ['#16202b', 'ink'],
    ['#56606b', 'muted'],
    ['#ffffff;border-top', 'card'],
  ]) {
    const elements = page.split('<').filter((element) => element.includes(`:${colour}`))
    expect(elements.length).toBeGreaterThan(0)
    for (const element of elements) expect(element).toContain(`class="${className}"`)
    expect(page).toContain(`.${className}{`)
  }
})
