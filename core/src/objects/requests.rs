//! Boxes that tasks have asked for. They arrive when the tasks are cut, or while the next part of the tasks runs.

use super::area::Area;
use super::declared::{Slot, Slots};
use super::map::Areas;
use super::object::address_of;
use super::slab::zeros;
use super::state::{Parcels, State};
use crate::comm::Transit;
use crate::element::Element;
use crate::lock::lock;
use bytemuck::Zeroable;
use std::cell::RefCell;
use std::rc::Rc;

/// The requests of this rank's tasks for boxes of an object, with the type of its elements erased. No region holds the object.
pub(super) trait Requests {
    /// Asks the owners, and adds the messages with elements. Collective. Returns whether there are any on any rank.
    fn ask(&mut self, slots: &Slots, transit: &mut Transit) -> bool;
    /// Gives the tasks their elements, after the messages have arrived.
    fn arrive(&mut self, slots: &Slots, messages: &mut dyn Iterator<Item = Vec<u8>>);
}

/// The requests for boxes of an object.
pub(super) struct OfObject<T> {
    state: Rc<RefCell<State<T>>>,
    parcels: Option<Parcels>,
}

impl<T: Element + Zeroable> OfObject<T> {
    pub fn new(state: Rc<RefCell<State<T>>>) -> Self {
        OfObject { state, parcels: None }
    }

    /// The declarations of the tasks on the object.
    fn own<'s>(&self, slots: &'s Slots) -> impl Iterator<Item = &'s Slot> + use<'s, T> {
        let address = address_of(&self.state);
        slots.iter().filter(move |((of, _), _)| *of == address).map(|(_, slot)| slot)
    }
}

impl<T: Element + Zeroable> Requests for OfObject<T> {
    fn ask(&mut self, slots: &Slots, transit: &mut Transit) -> bool {
        let private = self.own(slots).filter_map(Slot::get::<T>);
        let mut areas: Vec<Area> = private.flat_map(|private| lock(&private).ask()).collect();
        // In this order, boxes join as soon as they are added, so that the set stays small.
        areas.sort_unstable();
        let mut state = self.state.borrow_mut();
        self.parcels = state.ask_for_tasks(&Areas::of(areas));
        if let Some(parcels) = &self.parcels {
            state.send(parcels, transit);
        }
        self.parcels.is_some()
    }

    fn arrive(&mut self, slots: &Slots, messages: &mut dyn Iterator<Item = Vec<u8>>) {
        let mut state = self.state.borrow_mut();
        if let Some(parcels) = self.parcels.take() {
            state.receive(&parcels, messages);
        }
        for private in self.own(slots).filter_map(Slot::get::<T>) {
            lock(&private).fill(|area| {
                let mut elements = zeros(area.len());
                state.read_valid(area, &mut elements, area);
                elements
            });
        }
    }
}

/// The requests at a cut, and the messages that answer them.
#[derive(Default)]
pub(super) struct Outstanding {
    pub of: Vec<Box<dyn Requests>>,
    /// The messages, until they overlap with a loop.
    pub transit: Option<Transit>,
}

impl Outstanding {
    /// Asks the owners. Collective.
    pub fn ask(mut of: Vec<Box<dyn Requests>>, slots: &Slots) -> Self {
        let mut transit = Transit::default();
        let any = of.iter_mut().fold(false, |any, requests| requests.ask(slots, &mut transit) | any);
        Outstanding { of, transit: any.then_some(transit) }
    }

    /// Gives the tasks their elements. The messages have arrived.
    pub fn arrive(self, slots: &Slots, transit: Option<Transit>) {
        let mut messages = transit.into_iter().flat_map(Transit::arrived);
        self.of.into_iter().for_each(|mut requests| requests.arrive(slots, &mut messages));
    }
}
