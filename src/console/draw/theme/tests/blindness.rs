//! Well, warning and failure are told apart by those who see no difference between red and green. Seeing is
//! simulated after Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
//! Vision Deficiency" (IEEE TVCG 15(6), 2009), at severity 1.0; how far apart colours then are is CIE 1976
//! ΔE*ab under D65, where 2.3 is just noticeable.

use super::palettes::{absolute, linear};
use crate::console::draw::theme::{Depth, Role, Theme, color::Rgb};

/// How far apart at least: well over ten times what is just noticeable.
const DISTANCE_MIN: f64 = 25.0;

const SIMULATIONS: [(&str, [[f64; 3]; 3]); 4] = [
    ("full colour vision", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

fn times(matrix: &[[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// CIE L*a*b* of linear light.
fn lab(light: [f64; 3]) -> [f64; 3] {
    let to_xyz = [
        [0.412_456_4, 0.357_576_1, 0.180_437_5],
        [0.212_672_9, 0.715_152_2, 0.072_175_0],
        [0.019_333_9, 0.119_192_0, 0.950_304_1],
    ];
    let white = [0.950_47, 1.0, 1.088_83];
    let f = |value: f64| {
        if value > 216.0 / 24_389.0 { value.cbrt() } else { (24_389.0 / 27.0 * value + 16.0) / 116.0 }
    };
    let [x, y, z] = times(&to_xyz, light.map(|channel| channel.clamp(0.0, 1.0)));
    let (x, y, z) = (f(x / white[0]), f(y / white[1]), f(z / white[2]));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(matrix: &[[f64; 3]; 3], one: Rgb, other: Rgb) -> f64 {
    let (a, b) = (lab(times(matrix, linear(one))), lab(times(matrix, linear(other))));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn well_warning_and_failure_differ_for_every_eye_in_the_theme_for_it() {
    for depth in [Depth::True, Depth::Indexed] {
        let theme = Theme::shipped("colour-blind-safe", depth).unwrap();
        let colour = |role| absolute(theme.style(role).fg.unwrap());
        for (name, matrix) in SIMULATIONS {
            for (one, other) in [
                (Role::Ok, Role::Warn),
                (Role::Ok, Role::Bad),
                (Role::Warn, Role::Bad),
                (Role::Text, Role::Bad),
            ] {
                let distance = distance(&matrix, colour(one), colour(other));
                assert!(
                    distance >= DISTANCE_MIN,
                    "{name} at {depth:?}: {one:?} and {other:?} are {distance:.1} apart"
                );
            }
        }
    }
}
