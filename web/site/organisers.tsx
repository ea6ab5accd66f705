import type { EventSample, Field, PublicEvent, Site } from '../../engine/index.ts'
import { formatMoney, lookOf, priceTable } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { SiteFooter, SiteHeader } from './frame.tsx'
import './organisers.css'

/** Where Create Event leads: the real file of a conference, and beside it what it becomes. */
export default function Organisers({ site, sample }: { readonly site: Site; readonly sample: EventSample | null }) {
  const texts = site.organisers
  return (
    <div className="site">
      <SiteHeader site={site} />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
          <ol className="org-steps">{texts.steps.map((step) => <li key={step}>{step}</li>)}</ol>
        </div>
        {sample && (
          <div className="org-cols wrap">
            <section className="org-file" aria-labelledby="org-file">
              <h2 className="disp" id="org-file">{texts.file} <small>{sample.path}</small></h2>
              <pre tabIndex={0} role="region" aria-label={sample.path}>{sample.text.trimEnd().split('\n').map((line, at) => <Line key={at} text={line} />)}</pre>
            </section>
            <section className="org-becomes" aria-labelledby="org-becomes">
              <h2 className="disp" id="org-becomes">{texts.becomes} <small><a href={sample.event.routes.form}>{sample.event.title}</a></small></h2>
              <h3>{texts.prices}</h3>
              <Prices event={sample.event} />
              <h3>{texts.form}</h3>
              <Questions event={sample.event} />
              <h3>{texts.examples}</h3>
              <ul className="org-ex">{sample.examples.map((name) => <li key={name}><Icon name="tick" />{name}</li>)}</ul>
            </section>
          </div>
        )}
      </main>
      <SiteFooter site={site} />
    </div>
  )
}

/** A line of YAML: its key in blue, its comment in grey. Enough to read by; the checker does the real reading. */
function Line({ text }: { readonly text: string }) {
  const hash = /(^|\s)#(?=[^"']*$)/.exec(text)
  const code = hash ? text.slice(0, hash.index) : text
  const comment = hash ? text.slice(hash.index) : ''
  const key = /^(\s*(?:- )?\{?)([\w-]+)(?=:(\s|$))/.exec(code)
  return (
    <code>
      {key ? <>{key[1]}<b>{key[2]}</b>{code.slice(key[0].length)}</> : code}
      {comment && <i>{comment}</i>}
      {'\n'}
    </code>
  )
}

function Prices({ event }: { readonly event: PublicEvent }) {
  const rows = priceTable(event)
  const { tax } = event.fees
  return (
    <div className="org-prices" tabIndex={0} role="region" aria-label={`Prices of ${event.title}`}>
      <table>
        <thead><tr><th scope="col">Category</th>{event.fees.periods.map((period) => <th key={period.id} scope="col">{period.label}</th>)}</tr></thead>
        <tbody>
          {rows.map(({ category, cells }) => (
            <tr key={category.id}>
              <th scope="row">{category.label}</th>
              {cells.map(({ period, price }) => <td key={period.id}>{price ? formatMoney(price.total) : '–'}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {tax && <p className="hint">Totals, {tax.percent}% {tax.name} included.</p>}
    </div>
  )
}

const kinds: Readonly<Record<Field['type'], string>> = { text: 'text', multiline: 'longer text', email: 'e-mail', phone: 'phone', number: 'number', date: 'date', 'yes-no': 'yes or no', select: 'choice', file: 'file' }

function Questions({ event }: { readonly event: PublicEvent }) {
  const fields = new Map(event.fields.map((field) => [field.id, field]))
  const { accent } = lookOf(event.look.colour)
  return (
    <div className="org-form">
      {event.sections.map((section, at) => (
        <div key={section.title}>
          <p className="org-sec"><span style={{ color: accent }}>{at + 1}</span> {section.title}{section.showWhen && <small> only for some answers</small>}</p>
          <ul>
            {section.fields.flatMap((id) => fields.get(id) ?? []).map((field) => (
              <li key={field.id}><span>{field.label}</span><small>{kinds[field.type]}{field.required ? '' : ', optional'}{field.showWhen ? ', only for some answers' : ''}</small></li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
