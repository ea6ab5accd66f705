/** Creates an event's calendar entry (RFC 5545). It covers whole days, because the event's hours are free text. */
import ical, { ICalCalendarMethod } from 'ical-generator'
import { addDays } from '../../engine/index.ts'
import type { EventConfig, Instant } from '../../engine/index.ts'

export type CalendarEvent = Pick<
  EventConfig,
  'id' | 'from' | 'to' | 'title' | 'venue' | 'about' | 'hours'
> & { readonly routes: Pick<EventConfig['routes'], 'form'> }

/** Returns the parts of the event that its entry contains. */
export const pickCalendarEvent = (event: EventConfig): CalendarEvent => ({
  id: event.id,
  from: event.from,
  to: event.to,
  title: event.title,
  venue: event.venue,
  ...(event.about === undefined ? {} : { about: event.about }),
  ...(event.hours === undefined ? {} : { hours: event.hours }),
  routes: { form: event.routes.form },
})

/** Returns the file's text. An event's entry always has the same id, so a second download replaces the first. */
export function createCalendarEntry(event: CalendarEvent, publicUrl: string, at: Instant): string {
  const calendar = ical({
    prodId: { company: 'Rollcall', product: 'Rollcall', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
  })
  calendar.createEvent({
    id: `${event.id}@${new URL(publicUrl).hostname}`,
    start: event.from,
    end: addDays(event.to, 1),
    allDay: true,
    stamp: new Date(at),
    summary: event.title,
    location: event.venue,
    description: [event.about, event.hours].filter((text) => text !== undefined).join('\n'),
    url: new URL(event.routes.form, publicUrl).href,
  })
  return calendar.toString()
}
