//! Where results and messages go: to the streams of the process, or into memory, where a test reads them.

use std::io::Write;
#[cfg(test)]
use std::sync::{Arc, Mutex, PoisonError};

use super::screen::Screen;
use crate::errors::Result;

#[derive(Debug, Clone, Default)]
pub(crate) enum Streams {
    #[default]
    Process,
    #[cfg(test)]
    Memory(Memory),
}

impl Streams {
    /// Standard output.
    pub(super) fn result(&self) -> Result<Box<dyn Write + Send>> {
        match self {
            Self::Process => Ok(Box::new(super::stdout()?)),
            #[cfg(test)]
            Self::Memory(memory) => Ok(Box::new(Out(memory.clone()))),
        }
    }

    /// Writes a line to standard error, above the lines at the bottom of the terminal.
    pub(super) fn message(&self, line: &str, screen: &Screen) {
        match self {
            Self::Process => screen.print(line),
            #[cfg(test)]
            Self::Memory(memory) => memory.change(|_, err| err.extend([line, "\n"])),
        }
    }
}

/// What a command wrote to standard output and to standard error.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<(Vec<u8>, String)>>);

#[cfg(test)]
impl Memory {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<u8>, &mut String) -> T) -> T {
        let (out, err) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(out, err)
    }

    /// Takes what was written.
    pub(crate) fn take(&self) -> (String, String) {
        self.change(|out, err| (String::from_utf8_lossy(&std::mem::take(out)).into_owned(), std::mem::take(err)))
    }
}

#[cfg(test)]
struct Out(Memory);

#[cfg(test)]
impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.change(|out, _| out.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
