import type { EventCard, Site } from '../../engine/index.ts'
import { SiteFooter, SiteHeader } from './frame.tsx'

/** Where Create Event leads: how a conference comes to be, and the ones that are served now. */
export default function Organisers({ site, events }: { readonly site: Site; readonly events: readonly EventCard[] }) {
  return (
    <div className="site">
      <SiteHeader site={site} />
      <main id="main" className="wrap plain">
        <h1 className="disp">{site.header.createEvent.label}</h1>
        <p>A conference is one file in the folder events. Copy a conference that is like yours, change its words, dates and prices, and let the checker read it.</p>
        <h2 className="disp">{site.conferences.title}</h2>
        <ul>{events.map((event) => <li key={event.id}><a href={event.routes.form}>{event.title}</a></li>)}</ul>
      </main>
      <SiteFooter site={site} />
    </div>
  )
}
