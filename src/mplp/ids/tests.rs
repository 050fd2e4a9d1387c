use super::*;

/// The trace of the vectors.
const T: &str = "0192f0c1-2b3a-7c4d-8e5f-60718293a4b5";

/// Worked by hand of ruling MPLP 3 with another implementation of SHA-256.
#[test]
fn derives_what_the_ruling_says() {
    let vectors = [
        (Derived::Context(T), "48d80383-99dc-4ee5-889d-9edbbec86f91"),
        (Derived::Plan(T), "ed88b37f-d943-4418-ae45-c3e2b6c28ea8"),
        (Derived::Trace(T), "32a0fa55-0214-4e55-a58e-85fa8ca2a24b"),
        (Derived::Span(T), "231a506c-5299-4756-8032-343653addc14"),
        (Derived::Collab(T), "35c6aaf3-1681-40af-9e38-0046efe23977"),
        (Derived::Dialog(T), "691d9600-619b-441d-b3f3-00a1e9664682"),
        (Derived::Network(T), "f786727f-aa71-4865-818b-045480863188"),
        (Derived::Graph(T), "1d43ad00-23e3-4847-949e-45110cc1b268"),
        (Derived::Core(T), "48717095-4e78-4218-8bc1-22554f329d9d"),
        (Derived::Sa(T), "c710e993-e23e-47a4-93f8-54343819ddd4"),
        (Derived::Step(T, "give"), "513ab0d8-cc68-48f0-8c1c-7df73e75cdbe"),
        (Derived::Node(T, "outer/give"), "005e0801-cab8-4b87-aca0-a920b006db79"),
        (Derived::Segment(T, 17), "f6d9080e-eae2-4b5f-b647-c48e2df5e10b"),
        (Derived::Decision("5a0e8400-e29b-41d4-a716-446655440000"), "93fc9085-c163-4877-8f0c-1be42e12a82d"),
        (Derived::Role("agent:größe"), "5c5ed466-499b-481a-b0ef-b3685d6a1173"),
        (Derived::Extension("mode", "macp.mode.decision.v1"), "cc1e806d-90bc-41d0-8953-9b028ffd7761"),
        (Derived::Event(T, 17, 0), "9c9d3c9e-2eba-4f05-b93c-8cb349c5339e"),
        (Derived::Event(T, 17, 12), "f1e9f8cd-9ddc-4deb-b4c5-aa3afb603b15"),
        (Derived::Sample(T, "pipeline_outcome", 3), "48a30331-c228-4cdb-acef-5823a99bbd2e"),
    ];
    for (derived, expected) in vectors {
        assert_eq!(derived.id().to_string(), expected, "{derived:?}");
        assert!(is_uuid_v4(expected));
        assert_eq!(MplpId::parse(expected), Some(derived.id()));
    }
}

#[test]
fn a_uuid_v4_stays_and_every_other_text_is_replaced() {
    let own = "5a0e8400-e29b-41d4-a716-446655440000";
    assert_eq!(Derived::Trace(own).id_unless(own).to_string(), own);
    assert_eq!(Derived::Trace(T).id_unless(T), Derived::Trace(T).id());
    assert_eq!(MplpId::parse(&own.to_uppercase()), None);
    assert_eq!(
        serde_json::to_value(Derived::Context(T).id()).unwrap(),
        "48d80383-99dc-4ee5-889d-9edbbec86f91"
    );
}
